/** Properties and outputs shared by tasks and triggers that send HTTP requests. */
import { dynamicFlag, dynamicText, type PropertySchema, type PropertySchemas } from "../flows/schema.ts";

const SSL: PropertySchemas = Object.freeze({
  insecureTrustAllCertificates: dynamicFlag(false, "Whether any certificate is accepted; for tests only."),
});

const TIMEOUT: PropertySchemas = Object.freeze({
  connectTimeout: { type: "duration", dynamic: true, description: "Longest wait for a connection." },
  readIdleTimeout: {
    type: "duration",
    dynamic: true,
    default: "PT5M",
    description: "Longest wait for further data of the response.",
  },
});

const PROXY: PropertySchemas = Object.freeze({
  type: {
    type: "string",
    dynamic: true,
    values: ["DIRECT", "HTTP", "SOCKS"],
    default: "DIRECT",
    description: "Kind of the proxy.",
  },
  address: dynamicText("Host name of the proxy."),
  port: { type: "integer", dynamic: true, minimum: 1, maximum: 65_535, description: "Port of the proxy." },
  username: dynamicText("User name for the proxy."),
  password: dynamicText("Password for the proxy."),
});

const USER: PropertySchemas = Object.freeze({
  username: dynamicText("User name."),
  password: dynamicText("Password."),
});

const AUTH: PropertySchema = {
  type: "object",
  dynamic: true,
  properties: {
    type: {
      type: "string",
      required: true,
      dynamic: true,
      values: ["BASIC", "DIGEST", "BEARER"],
      description: "Kind of the credentials.",
    },
  },
  variants: {
    BASIC: USER,
    DIGEST: USER,
    BEARER: { token: dynamicText("Token of the `Authorization` header.") },
  },
  description: "Credentials of the request.",
};

/** Legacy names; each moved into a nested object. */
const OLD_OPTIONS: PropertySchemas = Object.freeze({
  connectTimeout: moved("duration", "timeout.connectTimeout", "Longest wait for a connection."),
  readTimeout: moved("duration", "timeout.readIdleTimeout", "Longest wait for a response."),
  readIdleTimeout: moved(
    "duration",
    "timeout.readIdleTimeout",
    "Longest wait for further data of the response.",
  ),
  basicAuthUser: moved("string", "auth.username", "User name of basic authentication."),
  basicAuthPassword: moved("string", "auth.password", "Password of basic authentication."),
  proxyType: moved("string", "proxy.type", "Kind of the proxy."),
  proxyAddress: moved("string", "proxy.address", "Host name of the proxy."),
  proxyPort: moved("integer", "proxy.port", "Port of the proxy."),
  proxyUsername: moved("string", "proxy.username", "User name for the proxy."),
  proxyPassword: moved("string", "proxy.password", "Password for the proxy."),
  connectionPoolIdleTimeout: {
    type: "duration",
    ignored: true,
    description: "How long idle connections are kept.",
  },
  logLevel: { type: "string", ignored: true, description: "Level of the log of the HTTP client." },
});

function moved(type: PropertySchema["type"], to: string, description: string): PropertySchema {
  return { type, dynamic: true, deprecated: `use \`options.${to}\``, description };
}

const OPTIONS: PropertySchemas = Object.freeze({
  timeout: {
    type: "object",
    dynamic: true,
    properties: TIMEOUT,
    description: "How long the request may take.",
  },
  auth: AUTH,
  proxy: {
    type: "object",
    dynamic: true,
    properties: PROXY,
    description: "Proxy through which the request is sent.",
  },
  ssl: { type: "object", dynamic: true, properties: SSL, description: "How certificates are checked." },
  followRedirects: dynamicFlag(true, "Whether redirections are followed."),
  allowFailed: dynamicFlag(false, "Whether a response with a status code of 400 or more is a success."),
  allowedResponseCodes: {
    type: "list",
    dynamic: true,
    items: { type: "integer", dynamic: true, description: "A status code such as `404`." },
    description: "Status codes of 400 or more that are a success.",
  },
  defaultCharset: {
    type: "string",
    dynamic: true,
    default: "UTF-8",
    description: "Character set of a response that does not name its own.",
  },
  maxContentLength: {
    type: "integer",
    dynamic: true,
    default: 10_485_760,
    minimum: 0,
    description: "Maximum size of the response in bytes.",
  },
  logs: {
    type: "list",
    dynamic: true,
    items: {
      type: "string",
      dynamic: true,
      values: ["REQUEST_HEADERS", "REQUEST_BODY", "RESPONSE_HEADERS", "RESPONSE_BODY"],
      description: "A part of the request or of the response.",
    },
    description: "Parts that are written to the log.",
  },
  ...OLD_OPTIONS,
});

/** Properties of a request. */
export const HTTP_REQUEST_PROPERTIES: PropertySchemas = Object.freeze({
  uri: { type: "string", required: true, dynamic: true, description: "Address to request." },
  method: {
    type: "string",
    dynamic: true,
    default: "GET",
    description: "Method of the request, such as `GET`, `POST` or `PUT`.",
  },
  params: {
    type: "map",
    dynamic: true,
    description: "Query parameters that are added to the address; a value may be a list.",
  },
  body: dynamicText("Body of the request, as a text."),
  formData: {
    type: "map",
    dynamic: true,
    description:
      "Form fields, instead of a body; a value may be an object of a file's `name`, `content` and `contentType`.",
  },
  contentType: dynamicText("Media type of the request's body."),
  headers: { type: "map", dynamic: true, description: "Headers of the request; a value may be a list." },
  options: {
    type: "object",
    dynamic: true,
    properties: OPTIONS,
    description: "Time limits, credentials, proxy and more.",
  },
  sslOptions: {
    type: "object",
    dynamic: true,
    properties: SSL,
    deprecated: "use `options.ssl`",
    description: "How certificates are checked.",
  },
});

/** Schema of lists of texts by name: headers or parameters. */
export function valuesByName(one: string, description: string): PropertySchema {
  const items: PropertySchema = { type: "string", description: "A value." };
  return { type: "map", items: { type: "list", items, description: `Values of a ${one}.` }, description };
}

/** `code` and `headers` of a response. */
export const HTTP_RESPONSE_OUTPUTS: PropertySchemas = Object.freeze({
  code: { type: "integer", description: "Status code of the response." },
  headers: valuesByName("header", "Headers of the response; each is a list of values."),
});

/** Outputs of a request whose response is kept as a text. */
export const HTTP_REQUEST_OUTPUTS: PropertySchemas = Object.freeze({
  uri: { type: "string", description: "Address that was requested." },
  ...HTTP_RESPONSE_OUTPUTS,
  body: { type: "any", description: "Body of the response as a text." },
  encryptedBody: {
    type: "any",
    description: "Encrypted body of the response; set if `encryptBody` is true.",
  },
});

/** `encryptBody` of a request whose response is kept as a text. */
export const ENCRYPT_BODY: PropertySchema = dynamicFlag(
  false,
  "Whether the body of the response is encrypted in the outputs; needs the encryption key of the server.",
);
