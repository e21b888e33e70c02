/** Every bound of the server, by name. A bound that a test or a document speaks of is one of these. */

/** A kibibyte. */
const KIB = 1024;

/** Deno KV refuses larger values; what is larger becomes a blob. */
export const MAX_VALUE_BYTES = 65_536;
/** Deno KV refuses longer keys (encoded). */
export const MAX_KEY_BYTES = 2_048;
/** A group is cut at these: Deno KV allows 1,000 mutations, 819,200 bytes and 80 KiB of keys in one atomic. */
export const MAX_GROUP_MUTATIONS = 980;
export const MAX_GROUP_BYTES = 700_000;
export const MAX_GROUP_KEY_BYTES = 72_000;
/** What the bulk lane may add to a group, so that it cannot slow its neighbours. */
export const MAX_BULK_BYTES_PER_GROUP = 128 * KIB;
/** Entries that wait for a group; beyond it callers are told to come back. */
export const MAX_PENDING_ENTRIES = 100_000;
/** Bytes of one chunk of a large value. */
export const BLOB_CHUNK_BYTES = 60 * KIB;

/** Live executions of this process; beyond it a start is refused with `Retry-After`. */
export const MAX_LIVE_EXECUTIONS = 20_000;
/** A slice of pure task runs is committed at the first of these. */
export const SLICE_MAX_TASK_RUNS = 100;
export const SLICE_MAX_BYTES = 256 * KIB;
export const SLICE_MAX_MS = 5;
/** A server that crashed that often while an execution was live gives it up. */
export const MAX_CRASHES_OF_EXECUTION = 3;

/** Bytes of request bodies. Uploads have their own, configurable cap. */
export const MAX_FLOW_SOURCE_BYTES = 512 * KIB;
export const MAX_JSON_BODY_BYTES = 4 * KIB * KIB;
export const MAX_WEBHOOK_BODY_BYTES = 1 * KIB * KIB;
export const MAX_KV_VALUE_BYTES = 1 * KIB * KIB;
export const MAX_INPUT_VALUE_BYTES = 1 * KIB * KIB;
export const MAX_MULTIPART_PARTS = 1_000;

/** Passes of one Loop. */
export const MAX_LOOP_VALUES = 100_000;
/** Passes of one Loop under way, also without a limit of its own. */
export const MAX_PASSES_AT_ONCE = 10_000;

/** JSON text of one task run's outputs. */
export const MAX_OUTPUT_BYTES = 1 * KIB * KIB;
/** Characters of one log line; the rest is cut, and the line says so. */
export const MAX_LOG_LINE_CHARS = 16 * KIB;
/** Bytes of a stored log line, and of a chunk of lines: control characters take six each. */
export const MAX_LOG_CHUNK_BYTES = 48 * KIB;
/** Bytes that a task logs which ends at once, so that its lines fit the commit of its end; the rest is left out, and a line says so. */
export const MAX_LOG_BYTES_AT_ONCE = 256 * KIB;

/** Flow documents. */
export const MAX_TASKS_PER_FLOW = 10_000;
export const MAX_FLOW_ID_LENGTH = 100;
export const MAX_NAMESPACE_LENGTH = 150;
export const MAX_TASK_ID_LENGTH = 256;
export const MAX_LABELS = 100;
export const MAX_LABEL_LENGTH = 1_000;

/** Namespace files and imports. */
export const MAX_FILE_PATH_LENGTH = 1_000;
export const MAX_FILE_NAME_LENGTH = 255;
export const MAX_ZIP_ENTRIES = 10_000;
/** Unpacked bytes of a zip: in all, and as a multiple of the packed size (a bomb is refused before it is stored). */
export const MAX_ZIP_BYTES = 512 * KIB * KIB;
export const MAX_ZIP_RATIO = 200;

/** Open event streams of the server. */
export const MAX_EVENT_STREAMS = 1_000;
/** Changes that one event stream sends in a second. */
export const MAX_STREAM_CHANGES_PER_SECOND = 20;
/** Longest time that `wait=true` holds an answer. */
export const MAX_WAIT_MS = 3_600_000;
/** How long a start that was sent with an idempotency key is remembered, and how long the key and the answer may be. */
export const IDEMPOTENCY_KEPT_MS = 24 * 3_600_000;
export const MAX_IDEMPOTENCY_KEY_LENGTH = 255;
export const MAX_REMEMBERED_ANSWER_CHARS = 16 * KIB * KIB;
/** Page size of lists. */
export const MAX_PAGE_SIZE = 10_000;

/** Failed log-ins of one user and address within the window, before further ones are refused. */
export const MAX_FAILED_LOGINS = 10;
export const FAILED_LOGIN_WINDOW_MS = 60_000;
/** Calls of one network that have found no webhook within the window, before further ones are refused. */
export const MAX_WRONG_WEBHOOK_KEYS = 20;
export const WRONG_WEBHOOK_KEYS_WINDOW_MS = 60_000;
/** A verified credential is trusted that long without hashing again. */
export const VERIFIED_CREDENTIAL_MS = 300_000;
