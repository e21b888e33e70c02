/** The servers with the API of S3 that have types of their own. */
import {
  dynamicProperty,
  dynamicText,
  type PropertySchema,
  type PropertySchemas,
} from "../../../model/flows/schema.ts";
import { CONNECTION } from "../client.ts";

/** A server with the API of S3. */
export interface S3Flavor {
  /** Beginning of the names of its types. */
  readonly prefix: string;
  /** Its name in texts. */
  readonly name: string;
  readonly connection: PropertySchemas;
}

/** Amazon S3. */
export const AMAZON_S3: S3Flavor = Object.freeze({
  prefix: "aws.s3",
  name: "S3",
  connection: {
    ...CONNECTION,
    forcePathStyle: dynamicProperty(
      "boolean",
      "Whether the bucket is part of the path, and not of the host.",
    ),
    compatibilityMode: dynamicProperty("boolean", "Has no effect: requests suit other servers, too.", {
      ignored: true,
    }),
  },
});

/** MinIO. */
export const MINIO: S3Flavor = Object.freeze({
  prefix: "minio",
  name: "MinIO",
  connection: {
    endpoint: dynamicText("URL of the server."),
    accessKeyId: dynamicText("Id of the access key."),
    secretKeyId: dynamicText("Secret access key; keep it as a secret."),
    region: dynamicText("Region of the server."),
    clientPem: dynamicText("Not supported: a certificate of the client.", { planned: true }),
    caPem: dynamicText("Not supported: a certificate authority.", { planned: true }),
    ssl: dynamicProperty("map", "Not supported: options of TLS.", { planned: true }),
  },
});

/** Property: a bucket. */
export const BUCKET: PropertySchema = dynamicText("Name of the bucket.", { required: true });

/** Property: an object. */
export const KEY: PropertySchema = dynamicText("Key of the object.", { required: true });

/** Properties of all requests about a bucket. */
export const OWNER: PropertySchemas = Object.freeze({
  expectedBucketOwner: dynamicText("Account that must own the bucket."),
  requestPayer: dynamicText("Who pays for the request: `requester`."),
});
