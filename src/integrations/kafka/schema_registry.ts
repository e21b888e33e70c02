/**
 * Messages in Avro whose schema is in a registry: after a zero byte and the id of the schema, four bytes, comes the value.
 * https://docs.confluent.io/platform/current/schema-registry/fundamentals/serdes-develop/index.html#wire-format
 */
import { Buffer } from "node:buffer";
import type { Type } from "avsc";
import { isJsonObject, type JsonObject, type JsonValue, tryParseJson } from "../../base/json.ts";
import { tryParseLongJson } from "../../base/json_turns.ts";
import { optionalText } from "../../model/tasks/task_definition.ts";
import { basicCredentials } from "../../model/http/http_request.ts";
import { callRepeatedly, refusalOf } from "../http_calls.ts";
import { AvroConversion, loadAvro } from "../serdes/avro/avro_values.ts";
import { ClientProperties, type Connector } from "./connection.ts";

const CONTENT_TYPE = "application/vnd.schemaregistry.v1+json";
const HEAD_BYTES = 5;
/** Schemas that are kept: a connection rarely has more than some of a topic. */
const MAX_SCHEMAS = 1_000;
/** Of a schema, which is read in one turn. */
const MAX_SCHEMA_CHARS = 4 * 1024 * 1024;

/** What a value is written for. */
export interface Subject {
  readonly topic: string;
  readonly role: "key" | "value";
  /** As JSON; default is the latest schema of the subject. */
  readonly schema?: string;
}

/** The registry does not give or take a schema; the message itself may be well-formed. */
export class RegistryError extends Error {}

/** A schema that is ready. */
interface KnownSchema {
  readonly id: number;
  readonly type: Type;
  readonly conversion: AvroConversion;
}

/** The registry that `schemaRegistryVendor` or `serdeProperties` name. */
export class SchemaRegistry {
  readonly #context: Connector;
  readonly #url: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #isRegistering: boolean;
  /** By id, and by subject. */
  readonly #known = new Map<number | string, Promise<KnownSchema>>();

  /** @throws Error no registry is named */
  constructor(context: Connector) {
    const properties = new ClientProperties(context.properties, "serdeProperties");
    const vendor = context.properties.schemaRegistryVendor;
    const given = isJsonObject(vendor) ? optionalText(vendor.schemaRegistryUrl) : undefined;
    const [url = ""] = (given ?? properties.text("schema.registry.url") ?? "").split(",");
    if (!/^https?:\/\//.test(url)) {
      throw new RegistryError(
        "Invalid serdeProperties: schema.registry.url must name the registry, for AVRO",
      );
    }
    const token = properties.text("bearer.auth.token");
    const [, user, password = ""] = /^([^:]*):(.*)$/s.exec(properties.text("basic.auth.user.info") ?? "") ??
      [];
    this.#context = context;
    this.#url = url.trim().replace(/(?<!\/)\/+$/, "");
    this.#isRegistering = properties.text("auto.register.schemas")?.toLowerCase() !== "false";
    this.#headers = {
      accept: CONTENT_TYPE,
      ...user !== undefined && { authorization: basicCredentials(user, password) },
      ...token !== undefined && { authorization: `Bearer ${token}` },
    };
  }

  /** The bytes of a value. @throws Error it does not have the schema, or the registry has none */
  async write(value: JsonValue, subject: Subject): Promise<Buffer> {
    const name = `${subject.topic}-${subject.role}`;
    const { id, type, conversion } = await this.#once(name, () => this.#ofSubject(name, subject));
    const head = Buffer.alloc(HEAD_BYTES);
    head.writeInt32BE(id, 1);
    try {
      return Buffer.concat([head, type.toBuffer(conversion.encode(value))]);
    } catch (error) {
      throw new Error(`Cannot write the ${subject.role} as AVRO: ${(error as Error).message}`, {
        cause: error,
      });
    }
  }

  /** The value of bytes. @throws Error they have no such form; RegistryError the registry does not know their schema */
  async read(bytes: Uint8Array, role: Subject["role"]): Promise<JsonValue> {
    const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    if (view.length < HEAD_BYTES || view[0] !== 0) {
      throw new Error(`Cannot read the ${role} as AVRO: it does not begin with the id of a schema`);
    }
    const id = view.readInt32BE(1);
    const { type, conversion } = await this.#once(id, () => this.#ofId(id));
    try {
      return conversion.decode(type.fromBuffer(view.subarray(HEAD_BYTES)));
    } catch (error) {
      throw new Error(`Cannot read the ${role} as AVRO: ${(error as Error).message}`, { cause: error });
    }
  }

  #once(key: number | string, load: () => Promise<KnownSchema>): Promise<KnownSchema> {
    const known = this.#known.get(key);
    if (known) return known;
    if (this.#known.size >= MAX_SCHEMAS) this.#known.clear();
    const loading = load();
    this.#known.set(key, loading);
    loading.catch(() => this.#known.delete(key));
    return loading;
  }

  async #ofId(id: number): Promise<KnownSchema> {
    const { schema, schemaType } = await this.#send(`read the schema ${id}`, `/schemas/ids/${id}`);
    return await knownSchema(id, schema, schemaType);
  }

  async #ofSubject(name: string, { schema }: Subject): Promise<KnownSchema> {
    const path = `/subjects/${encodeURIComponent(name)}`;
    if (schema === undefined) {
      const latest = await this.#send(`read the schema of "${name}"`, `${path}/versions/latest`);
      return await knownSchema(Number(latest.id), latest.schema, latest.schemaType);
    }
    const [operation, target] = this.#isRegistering ? ["register", `${path}/versions`] : ["find", path];
    const { id } = await this.#send(`${operation} the schema of "${name}"`, target, { schema });
    return await knownSchema(Number(id), schema, undefined);
  }

  /** A schema that is registered twice has one id. */
  async #send(operation: string, path: string, body?: JsonObject): Promise<JsonObject> {
    const url = `${this.#url}${path}`;
    const headers = { ...this.#headers, ...body && { "content-type": CONTENT_TYPE } };
    const request = { url, headers, followRedirects: false, ...body && { method: "POST", json: body } };
    const sent = callRepeatedly(this.#context, () => request, { isRepeatable: true });
    const { status, text } = await sent.catch((error: Error) => {
      throw new RegistryError(error.message, { cause: error });
    });
    const json = await tryParseLongJson(text);
    if (status === 200 && isJsonObject(json)) return json;
    const words = isJsonObject(json) && json.message !== undefined ? String(json.message) : text;
    throw new RegistryError(refusalOf({ operation, url, status, words }).message);
  }
}

/** @throws RegistryError it is no schema of Avro that stands alone */
async function knownSchema(
  id: number,
  text: JsonValue | undefined,
  kind: JsonValue | undefined = "AVRO",
): Promise<KnownSchema> {
  const { typeOf } = await loadAvro();
  try {
    if (kind !== "AVRO") throw new Error(`it is one of ${String(kind)}`);
    if (String(text).length > MAX_SCHEMA_CHARS) {
      throw new Error(`it has more than ${MAX_SCHEMA_CHARS} characters`);
    }
    const schema = tryParseJson(String(text)) ?? String(text);
    return {
      id,
      type: typeOf(schema),
      conversion: new AvroConversion(schema),
    };
  } catch (error) {
    throw new RegistryError(`Cannot use the schema ${id} of the registry: ${(error as Error).message}`);
  }
}
