/** Properties and outputs shared by tasks and triggers that send HTTP requests. */
import {
  dynamicChoice,
  dynamicContent,
  dynamicFlag,
  dynamicProperty,
  dynamicText,
  type PropertySchema,
  type PropertySchemas,
} from "../flows/schema.ts";

const SSL: PropertySchemas = Object.freeze({
  insecureTrustAllCertificates: dynamicFlag(false, "Whether any certificate is accepted; for tests only."),
});

const TIMEOUT: PropertySchemas = Object.freeze({
  connectTimeout: dynamicProperty("duration", "Longest wait for a connection."),
  readIdleTimeout: dynamicProperty("duration", "Longest wait for further data of the response.", {
    default: "PT5M",
  }),
});

const PROXY: PropertySchemas = Object.freeze({
  type: dynamicChoice(["DIRECT", "HTTP", "SOCKS"], "DIRECT", "Kind of the proxy."),
  address: dynamicText("Host name of the proxy."),
  port: dynamicProperty("integer", "Port of the proxy.", { minimum: 1, maximum: 65_535 }),
  username: dynamicText("User name for the proxy."),
  password: dynamicText("Password for the proxy."),
});

const USER: PropertySchemas = Object.freeze({
  username: dynamicText("User name."),
  password: dynamicText("Password."),
});

const AUTH: PropertySchema = dynamicProperty("object", "Credentials of the request.", {
  properties: {
    type: dynamicText("Kind of the credentials.", { required: true, values: ["BASIC", "DIGEST", "BEARER"] }),
  },
  variants: {
    BASIC: USER,
    DIGEST: USER,
    BEARER: { token: dynamicText("Token of the `Authorization` header.") },
  },
});

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
  return dynamicProperty(type, description, { deprecated: `use \`options.${to}\`` });
}

const OPTIONS: PropertySchemas = Object.freeze({
  timeout: dynamicProperty("object", "How long the request may take.", { properties: TIMEOUT }),
  auth: AUTH,
  proxy: dynamicProperty("object", "Proxy through which the request is sent.", { properties: PROXY }),
  ssl: dynamicProperty("object", "How certificates are checked.", { properties: SSL }),
  followRedirects: dynamicFlag(true, "Whether redirections are followed."),
  allowFailed: dynamicFlag(false, "Whether a response with a status code of 400 or more is a success."),
  allowedResponseCodes: dynamicProperty("list", "Status codes of 400 or more that are a success.", {
    items: dynamicProperty("integer", "A status code such as `404`."),
  }),
  defaultCharset: dynamicText("Character set of a response that does not name its own.", {
    default: "UTF-8",
  }),
  maxContentLength: dynamicProperty(
    "integer",
    "Maximum size of the response in bytes; at most 64 MiB where it is kept in memory.",
    {
      default: 10_485_760,
      minimum: 0,
    },
  ),
  logs: dynamicProperty("list", "Parts that are written to the log.", {
    items: dynamicText("A part of the request or of the response.", {
      values: ["REQUEST_HEADERS", "REQUEST_BODY", "RESPONSE_HEADERS", "RESPONSE_BODY"],
    }),
  }),
  ...OLD_OPTIONS,
});

/** Properties of a request. */
export const HTTP_REQUEST_PROPERTIES: PropertySchemas = Object.freeze({
  uri: dynamicText("Address to request.", { required: true }),
  method: dynamicText("Method of the request, such as `GET`, `POST` or `PUT`.", { default: "GET" }),
  params: dynamicProperty("map", "Query parameters that are added to the address; a value may be a list."),
  body: dynamicContent("Body of the request: a text, or a list or an object, whose JSON is sent."),
  formData: dynamicProperty(
    "map",
    "Form fields, instead of a body; a value may be an object of a file's `name`, `content` and `contentType`. A list is a " +
      "repeated field; in a multipart form it is one with the list as JSON, unless it holds a file.",
  ),
  contentType: dynamicText("Media type of the request's body."),
  headers: dynamicProperty("map", "Headers of the request; a value may be a list."),
  options: dynamicProperty("object", "Time limits, credentials, proxy and more.", { properties: OPTIONS }),
  sslOptions: dynamicProperty("object", "How certificates are checked.", {
    properties: SSL,
    deprecated: "use `options.ssl`",
  }),
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
  uri: { type: "string", description: "Address that was requested, without its user and password." },
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
