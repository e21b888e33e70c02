/** A certificate that nobody trusts, for servers of tests on `localhost` and 127.0.0.1. It protects nothing. */

/** The certificate, PEM. */
export const SELF_SIGNED_CERT = `-----BEGIN CERTIFICATE-----
MIIBmzCCAUGgAwIBAgIUHeDKDfnZnXwvGOxrX269e8hnUfEwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMTEzNTM0M1oYDzIxMjYxMDI4
MTM1MzQzWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAATxbyst/HHqxBgJE8UbEqeVoxdO/crnWbACDati+BVaN8PeaKWfT0dK
K/whzKcFsGwxjOPXsgOa7Rt2oA+VyAjho28wbTAdBgNVHQ4EFgQUR1xS1LIeUvWj
dA1+/ugxhuUSsA0wHwYDVR0jBBgwFoAUR1xS1LIeUvWjdA1+/ugxhuUSsA0wDwYD
VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
zj0EAwIDSAAwRQIgcsOse+Ah1KH2Vv7haBEmuKYEpxRd/3evgQe8RThzlU0CIQD/
HTVq4NVzK6VayKHTuppVVTxpwt0el9KPbfndSdxjlw==
-----END CERTIFICATE-----`;

/** Its key, PEM. */
export const SELF_SIGNED_KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgs7r904knn05biKDU
O5hCRB/0SXhMw7nvxgB1Qh5U0HKhRANCAATxbyst/HHqxBgJE8UbEqeVoxdO/crn
WbACDati+BVaN8PeaKWfT0dKK/whzKcFsGwxjOPXsgOa7Rt2oA+VyAjh
-----END PRIVATE KEY-----`;
