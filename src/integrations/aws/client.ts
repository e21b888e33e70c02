/** The REST APIs of Amazon Web Services. Requests are signed by version 4. https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv.html */
import { readDuration } from "../../base/time/duration.ts";
import { isJsonObject, type JsonObject, stringifyJson } from "../../base/json.ts";
import { tryParseLongJson, tryParseShortJson } from "../../base/json_turns.ts";
import { dynamicProperty, dynamicText, type PropertySchemas } from "../../model/flows/schema.ts";
import {
  optionalText,
  type TaskRequest,
  type TaskResponse,
  type WorkContext,
} from "../../model/tasks/task_definition.ts";
import { callRepeatedly, parsedUrl, refusalOf, type Sender } from "../http_calls.ts";
import { readErrorXml, readXml, textAt } from "../xml.ts";

/** Properties of all types of AWS. */
export const CONNECTION: PropertySchemas = Object.freeze({
  accessKeyId: dynamicText("Id of the access key."),
  secretKeyId: dynamicText("Secret access key; keep it as a secret."),
  sessionToken: dynamicText("Token of a session with temporary credentials."),
  region: dynamicText("Region, such as `eu-central-1`."),
  endpointOverride: dynamicText("URL of another server with the same API, in place of that of AWS."),
  stsRoleArn: dynamicText("ARN of a role to assume."),
  stsRoleExternalId: dynamicText("External id that the role asks for."),
  stsRoleSessionName: dynamicText("Name of the session with the role.", { default: "sluice" }),
  stsRoleSessionDuration: dynamicProperty("duration", "Length of the session with the role.", {
    default: "PT15M",
  }),
  stsEndpointOverride: dynamicText("URL of another server in place of the STS of AWS."),
});

/** Credentials of a request. */
interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/** A request to a service. */
export interface AwsRequest
  extends Pick<TaskRequest, "method" | "headers" | "body" | "bodyFile" | "bodyPart" | "saveTo"> {
  /** Name in signatures, such as `s3`. */
  readonly service: string;
  /** Absolute. */
  readonly url: string;
  /** For errors: verb and object. */
  readonly operation: string;
  /** Default is true, but not for POST. */
  readonly isRepeatable?: boolean;
  /** Statuses from 300 that are no errors. */
  readonly accepted?: readonly number[];
}

const DEFAULT_REGION = "us-east-1";
/** A query and a function respond late. */
const TIMEOUT_MS = 900_000;
/** Of a response in memory, which is parsed in one turn. A function responds with 20 MB at most. */
const MAX_RESPONSE_BYTES = 24 * 1024 * 1024;

/** A call of a JSON protocol. */
export interface AwsCall extends Pick<AwsRequest, "service" | "operation" | "isRepeatable"> {
  readonly target: string;
  readonly version?: "1.0" | "1.1";
  readonly url?: string;
}

/** Sends requests with the credentials that the properties give. */
export class AwsClient {
  readonly #context: Pick<WorkContext, "properties"> & Sender;
  #credentials: Promise<Credentials> | undefined;

  constructor(context: Pick<WorkContext, "properties"> & Sender) {
    this.#context = context;
  }

  /** A client with the same credentials that sends by another sender. */
  by(sender: Sender): AwsClient {
    const { properties } = this.#context;
    const client = new AwsClient({ properties, ...sender });
    client.#credentials = this.#credentials;
    return client;
  }

  /** The region. */
  get region(): string {
    return optionalText(this.#context.properties.region) ?? DEFAULT_REGION;
  }

  /** URL of another server that the properties name, without a slash at the end. */
  get endpointOverride(): string | undefined {
    const { endpointOverride, endpoint } = this.#context.properties;
    return optionalText(endpointOverride ?? endpoint)?.replace(/(?<!\/)\/+$/, "");
  }

  /** URL of a service, without a slash at the end. */
  endpointOf(service: string): string {
    return this.endpointOverride ?? `https://${service}.${this.region}.${this.domain}`;
  }

  /** Domain of the services of the region. */
  get domain(): string {
    return this.region.startsWith("cn-") ? "amazonaws.com.cn" : "amazonaws.com";
  }

  /** The response. @throws Error no response, or one that refuses the request */
  async send(request: AwsRequest): Promise<TaskResponse> {
    const { operation, url, accepted = [] } = request;
    this.#credentials ??= this.#assumedCredentials();
    const response = await this.#sendAs(await this.#credentials, request);
    if (response.status < 300 || accepted.includes(response.status)) return response;
    throw refusalOf({ operation, url, status: response.status, words: await wordsOf(response) });
  }

  /** The body of a call of a JSON protocol. @throws Error as {@link send} */
  async call(
    { service, target, version = "1.0", url = `${this.endpointOf(service)}/`, operation, isRepeatable }:
      AwsCall,
    json: JsonObject,
  ): Promise<JsonObject> {
    const { text } = await this.send({
      service,
      url,
      method: "POST",
      headers: { "Content-Type": `application/x-amz-json-${version}`, "X-Amz-Target": target },
      body: stringifyJson(json),
      operation,
      isRepeatable,
    });
    const body = await tryParseLongJson(text);
    return body !== undefined && isJsonObject(body) ? body : {};
  }

  async #sendAs(credentials: Credentials, request: AwsRequest): Promise<TaskResponse> {
    const { service, url, method = "GET", headers = {}, body, bodyFile, bodyPart, saveTo } = request;
    const { AwsV4Signer } = await import("aws4fetch");
    // Each try is signed anew: a signature is valid for minutes.
    return await callRepeatedly(this.#context, async () => {
      const signer = new AwsV4Signer({
        ...credentials,
        method,
        url: parsedUrl(url).href,
        headers: { ...headers },
        body: body as BodyInit | undefined,
        service,
        region: this.region,
      });
      const signed = await signer.sign();
      return {
        url: signed.url.href,
        method,
        headers: Object.fromEntries(signed.headers),
        body,
        bodyFile,
        bodyPart,
        saveTo,
        followRedirects: false,
        timeoutMs: TIMEOUT_MS,
        maxBytes: MAX_RESPONSE_BYTES,
      };
    }, { isRepeatable: request.isRepeatable ?? method !== "POST" });
  }

  #ownCredentials(): Credentials {
    const { accessKeyId, secretKeyId, sessionToken } = this.#context.properties;
    const id = optionalText(accessKeyId), secret = optionalText(secretKeyId);
    if (id !== undefined && secret !== undefined) {
      return { accessKeyId: id, secretAccessKey: secret, sessionToken: optionalText(sessionToken) };
    }
    throw new Error("Missing accessKeyId and secretKeyId: the credentials of the server are not used");
  }

  /** The credentials of the role that is given, else the own ones. */
  async #assumedCredentials(): Promise<Credentials> {
    const { properties } = this.#context;
    const own = this.#ownCredentials();
    const role = optionalText(properties.stsRoleArn);
    if (role === undefined) return own;
    const externalId = optionalText(properties.stsRoleExternalId);
    const seconds = Math.round((readDuration(properties.stsRoleSessionDuration) ?? 900_000) / 1000);
    const url = optionalText(properties.stsEndpointOverride) ?? `https://sts.${this.region}.${this.domain}/`;
    const operation = `assume the role "${role}"`;
    const response = await this.#sendAs(own, {
      service: "sts",
      url,
      method: "POST",
      headers: { "Content-Type": "application/x-www-form-urlencoded; charset=utf-8" },
      body: new URLSearchParams({
        Action: "AssumeRole",
        Version: "2011-06-15",
        RoleArn: role,
        RoleSessionName: optionalText(properties.stsRoleSessionName) ?? "sluice",
        DurationSeconds: String(seconds),
        ...externalId === undefined ? {} : { ExternalId: externalId },
      }).toString(),
      operation,
      isRepeatable: true,
    });
    const { status, text } = response;
    if (status >= 300) throw refusalOf({ operation, url, status, words: await wordsOf(response) });
    const found = textAt.bind(
      undefined,
      await readXml(text),
      "AssumeRoleResponse",
      "AssumeRoleResult",
      "Credentials",
    );
    return {
      accessKeyId: found("AccessKeyId") ?? "",
      secretAccessKey: found("SecretAccessKey") ?? "",
      sessionToken: found("SessionToken"),
    };
  }
}

/** What AWS says in an error: JSON with `message` and `__type`, or XML with `Message` and `Code`. */
export async function wordsOf({ text }: Pick<TaskResponse, "text">): Promise<string> {
  const json = tryParseShortJson(text);
  if (json !== undefined && isJsonObject(json)) {
    const code = optionalText(json.__type ?? json.code)?.replace(/^.*#/, "");
    return joined(optionalText(json.message ?? json.Message), code);
  }
  if (!text.trimStart().startsWith("<")) return text;
  const xml = await readErrorXml(text);
  const error = ["Error", "ErrorResponse"].map((name) => [
    textAt(xml, name, "Message") ?? textAt(xml, name, "Error", "Message"),
    textAt(xml, name, "Code") ?? textAt(xml, name, "Error", "Code"),
  ]).find(([message, code]) => message !== undefined || code !== undefined);
  return error ? joined(error[0], error[1]) : text;
}

function joined(message: string | undefined, code: string | undefined): string {
  if (message === undefined) return code ?? "";
  return code === undefined ? message : `${message} (${code})`;
}
