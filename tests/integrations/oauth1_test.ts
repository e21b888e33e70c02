/** Signatures of OAuth 1.0a, with the example of docs.x.com (Creating a signature). */
import { assertEquals } from "@std/assert";
import { oauth1Signature } from "../../src/integrations/notifications/oauth1.ts";

const STATUS = "https://api.x.com/1.1/statuses/update.json?include_entities=true&status=" +
  encodeURIComponent("Hello Ladies + Gentlemen, a signed OAuth request!");

Deno.test("a signature of OAuth 1.0a is that of the example of X", async () => {
  const signature = await oauth1Signature(
    { method: "POST", url: STATUS },
    [
      ["oauth_consumer_key", "xvz1evFS4wEEPTGEFPHBog"],
      ["oauth_nonce", "kYjzVBB8Y0ZFabxSWbWovY3uYSQ2pTgmZeNu2VS4cg"],
      ["oauth_signature_method", "HMAC-SHA1"],
      ["oauth_timestamp", "1318622958"],
      ["oauth_token", "370773112-GmHxMAgYyLbNEtIKZeRNFsMKPR9EyMZeS9weJAEb"],
      ["oauth_version", "1.0"],
    ],
    {
      consumerSecret: "kAcSOqF21Fu85e7zjz7ZN2U4ZRhfV3WpwPAoE3Z7kBw",
      accessSecret: "LswwdoUaIvS8ltyTt5jkRh4J50vUPVVHtR2YPi5kE",
    },
  );
  assertEquals(signature, "Ls93hJiZbQ3akF3HF3x1Bz8/zU4=");
});
