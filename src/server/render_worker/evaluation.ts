/** One evaluation in the other thread: it stops where it lacks a value, and is repeated from its start with it. */
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  parseJson,
  setOwnProperty,
  stringifyJson,
} from "../../base/json.ts";
import type { Clock } from "../../base/time/clock.ts";
import {
  compileTemplate,
  ExpressionError,
  type HostFunction,
  renderText,
  RenderTime,
  renderValue,
  type Scope,
  type Template,
} from "../../expr/mod.ts";
import type { SlowRender } from "../../rendering/host_functions/mod.ts";
import type { FromWorker, Supply } from "./messages.ts";

/** Ends an attempt with a question to the thread of the server. Not an expression error, so that no guard catches it. */
class Question extends Error {
  readonly question: FromWorker;

  constructor(message: FromWorker) {
    super(message.type);
    this.question = message;
  }
}

interface EvaluationDeps {
  readonly clock: Pick<Clock, "monotonicMs">;
  readonly random: () => number;
}

/** The evaluation of one template. */
export class Evaluation {
  readonly #render: SlowRender;
  readonly #scope: Scope;
  readonly #time: RenderTime;
  readonly #variables = new Map<string, JsonValue | undefined>();
  readonly #calls = new Map<string, () => JsonValue>();
  #template: Template | undefined;
  #authored: JsonObject | undefined;

  constructor(render: SlowRender, { clock, random }: EvaluationDeps) {
    this.#render = render;
    this.#time = new RenderTime(clock, render.limitMs);
    this.#time.charge(render.usedMs);
    const read = (name: string) => this.#read(name, false);
    const readAuthored = () => this.#authored ??= this.#readAuthored();
    this.#scope = {
      variable: read,
      get authored() {
        return readAuthored();
      },
      functions: this.#functions(),
      now: render.now,
      timeZone: render.timeZone,
      random,
      time: this.#time,
    };
  }

  /** Takes a value that an attempt lacked. */
  supply(supply: Supply): void {
    if (supply.type === "variable") {
      const { name, isAuthored, json } = supply;
      this.#variables.set(keyOf(name, isAuthored), json === undefined ? undefined : parseJson(json));
    } else if (supply.type === "call") {
      const value = parseJson(supply.json);
      this.#calls.set(supply.key, () => value);
    } else {
      const { key, code, message } = supply;
      this.#calls.set(key, () => {
        throw new ExpressionError(code, message);
      });
    }
  }

  /** Evaluates from the start: the result, or what is lacking. */
  attempt(): FromWorker {
    const { source, isText } = this.#render.template;
    try {
      this.#template ??= compileTemplate(source);
      const value = isText
        ? renderText(this.#template, this.#scope)
        : renderValue(this.#template, this.#scope);
      this.#time.pause();
      const usedMs = this.#time.usedMs - this.#render.usedMs;
      if (typeof value === "string") return { type: "text", text: value, usedMs };
      return { type: "value", json: stringifyJson(value), usedMs };
    } catch (error) {
      if (error instanceof Question) return error.question;
      if (!(error instanceof ExpressionError)) throw error;
      return { type: "failed", code: error.code, message: error.message };
    }
  }

  #read(name: string, isAuthored: boolean): JsonValue | undefined {
    const key = keyOf(name, isAuthored);
    if (!this.#variables.has(key)) throw new Question({ type: "lacks variable", name, isAuthored });
    return this.#variables.get(key);
  }

  #readAuthored(): JsonObject {
    const authored: JsonObject = {};
    for (const name of this.#render.authoredNames) {
      const value = this.#read(name, true);
      if (isJsonObject(value)) setOwnProperty(authored, name, value);
    }
    return authored;
  }

  #functions(): ReadonlyMap<string, HostFunction> {
    return new Map(this.#render.functions.map(({ name, parameters, isForAuthors, isOnlyHere }) => {
      const call = (given: ReadonlyMap<string, JsonValue>) => {
        if (isOnlyHere) throw new Question({ type: "only here" });
        const args = stringifyJson([...given]), key = `${name} ${args}`;
        const known = this.#calls.get(key);
        if (!known) throw new Question({ type: "lacks call", key, name, args });
        return known();
      };
      return [name, { parameters, isForAuthors, call }];
    }));
  }
}

function keyOf(name: string, isAuthored: boolean): string {
  return `${isAuthored ? "authored" : "current"} ${name}`;
}
