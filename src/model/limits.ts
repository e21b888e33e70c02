/** Limits of the server. */

const KIB = 1024;

/** Deno KV rejects larger values; they are stored as blobs. */
export const MAX_VALUE_BYTES = 65_536;
/** Deno KV rejects longer encoded keys. */
export const MAX_KEY_BYTES = 2_048;
/** Limits of a commit group, below those of an atomic of Deno KV: 1,000 mutations, 819,200 bytes, 80 KiB of keys. */
export const MAX_GROUP_MUTATIONS = 980;
export const MAX_GROUP_BYTES = 700_000;
export const MAX_GROUP_KEY_BYTES = 72_000;
/** Share of the bulk lane in a group, so that it cannot delay other entries. */
export const MAX_BULK_BYTES_PER_GROUP = 128 * KIB;
/** Entries waiting for a group; further callers are refused and may retry. */
export const MAX_PENDING_ENTRIES = 100_000;
/** Bytes of one chunk of a large value. */
export const BLOB_CHUNK_BYTES = 60 * KIB;

/** Live executions of this process; further starts are refused with `Retry-After`. */
export const MAX_LIVE_EXECUTIONS = 20_000;
/** Live executions that each tenant may have though others have filled the process. */
export const LIVE_EXECUTIONS_OF_TENANT = 1_000;
/** A slice of pure task runs is committed when it reaches one of these. */
export const SLICE_MAX_TASK_RUNS = 100;
export const SLICE_MAX_BYTES = 256 * KIB;
export const SLICE_MAX_MS = 5;
/** Crashes of the server while an execution was live, after which the execution is given up. */
export const MAX_CRASHES_OF_EXECUTION = 3;
/** Take-overs by other processes while an execution was live, without a task run that ended in between, after which it is given up. */
export const MAX_TAKE_OVERS_OF_EXECUTION = 10;
/** Workers in succession that were lost while they ran an attempt of a task, after which the task fails. */
export const MAX_LOST_WORKERS = 3;

/** Bytes of request bodies. The limit of uploads is configurable. */
export const MAX_FLOW_SOURCE_BYTES = 512 * KIB;
export const MAX_JSON_BODY_BYTES = 4 * KIB * KIB;
/** Of JSON that only filters a list: 1,000 flows by name take 310 KB. Reading the worst JSON of that length blocks the thread some 50 ms. */
export const MAX_FILTER_BODY_BYTES = 512 * KIB;
export const MAX_WEBHOOK_BODY_BYTES = 1 * KIB * KIB;
export const MAX_KV_VALUE_BYTES = 1 * KIB * KIB;
export const MAX_INPUT_VALUE_BYTES = 1 * KIB * KIB;
/**
 * Bytes that bodies hold in memory while they arrive, and a quarter of that for one caller: four of the largest imports, or 32 JSON
 * bodies of 4 MiB. Files are stored as they arrive and do not count.
 */
export const MAX_HELD_BODY_BYTES = 512 * KIB * KIB;
export const MAX_HELD_BODY_BYTES_PER_CALLER = MAX_HELD_BODY_BYTES / 4;
export const MAX_MULTIPART_PARTS = 1_000;

/** Passes of one Loop. */
export const MAX_LOOP_VALUES = 100_000;
/** Concurrent passes of one Loop, also if it has no limit of its own. */
export const MAX_PASSES_AT_ONCE = 10_000;

/** JSON text of one task run's outputs. */
export const MAX_OUTPUT_BYTES = 1 * KIB * KIB;
/** Characters of one log line; a longer message becomes several lines. */
export const MAX_LOG_LINE_CHARS = 10 * KIB;
/** JSON bytes of one message of a log, which must fit the commit of a full slice; a longer one is cut and marked. */
export const MAX_LOG_MESSAGE_BYTES = 64 * KIB;
/** Bytes of a stored log line and of a chunk of lines; a control character takes six. */
export const MAX_LOG_CHUNK_BYTES = 48 * KIB;
/** Log bytes of a task that ends at once, so that the lines fit the commit of its end; further lines are dropped with a note. */
export const MAX_LOG_BYTES_AT_ONCE = 256 * KIB;

/** Flow documents. */
export const MAX_TASKS_PER_FLOW = 10_000;
/** One commit stores the flow and two entries for each of its triggers, three for a schedule. */
export const MAX_TRIGGERS_PER_FLOW = 480;
export const MAX_FLOW_ID_LENGTH = 100;
export const MAX_NAMESPACE_LENGTH = 150;
export const MAX_TASK_ID_LENGTH = 256;
export const MAX_LABELS = 100;
export const MAX_LABEL_LENGTH = 1_000;
/** JSON bytes of all labels of a flow: with the other facts of a flow they are one stored value, which is kept in memory. */
export const MAX_LABELS_BYTES = 60_000;
/** Dependencies between flows that a response lists: if all flows of a namespace wait for all others, they grow by the square. */
export const MAX_DEPENDENCIES = 20_000;

/** Namespace files and imports. */
export const MAX_FILE_PATH_LENGTH = 1_000;
export const MAX_FILE_NAME_LENGTH = 255;
export const MAX_ZIP_ENTRIES = 10_000;
/** Unpacked bytes of a zip, total and relative to the packed size; a zip bomb is refused before it is stored. */
export const MAX_ZIP_BYTES = 512 * KIB * KIB;
export const MAX_ZIP_RATIO = 200;

/** Open event streams of the server; one tenant and one caller with credentials may have a part of them. */
export const MAX_EVENT_STREAMS = 1_000;
export const MAX_EVENT_STREAMS_PER_TENANT = 500;
export const MAX_EVENT_STREAMS_PER_CALLER = 250;
/** Open requests that wait for the end of an execution: starts with `wait=true`, awaited webhooks and tests of flows. */
export const MAX_WAITING_REQUESTS = 1_000;
export const MAX_WAITING_REQUESTS_PER_TENANT = 500;
export const MAX_WAITING_REQUESTS_PER_CALLER = 250;
/**
 * Searches of log lines that run or wait, since one runs at a time; as many reads of records for charts and statistics. A
 * dashboard has up to 100 charts, each of which is a request.
 */
export const MAX_QUEUED_READS = 1_000;
export const MAX_QUEUED_READS_PER_TENANT = 500;
export const MAX_QUEUED_READS_PER_CALLER = 250;
/** Bytes that event streams hold for clients that do not read; beyond it those that have not read for the longest time end. */
export const MAX_UNREAD_EVENT_BYTES = 128 * KIB * KIB;
/** Workers of the server; each has a stream. */
export const MAX_WORKERS = 5_000;
/** Messages per second of one event stream. */
export const MAX_STREAM_CHANGES_PER_SECOND = 20;
/** Longest time that `wait=true` delays a response. */
export const MAX_WAIT_MS = 3_600_000;
/** How long the result of a start with an idempotency key is kept, and the maximum lengths of the key and the response. */
export const IDEMPOTENCY_KEPT_MS = 24 * 3_600_000;
export const MAX_IDEMPOTENCY_KEY_LENGTH = 255;
export const MAX_REMEMBERED_ANSWER_CHARS = 16 * KIB * KIB;
/** Things that one request may name for an action on each of them. */
export const MAX_NAMED_THINGS = 100_000;
/** Maximum page size of lists. */
export const MAX_PAGE_SIZE = 10_000;

/** Failed logins of one user and address within the window before further ones are refused. */
export const MAX_FAILED_LOGINS = 10;
export const FAILED_LOGIN_WINDOW_MS = 60_000;
/** Calls with a wrong webhook key from one network within the window before further ones are refused. */
export const MAX_WRONG_WEBHOOK_KEYS = 20;
export const WRONG_WEBHOOK_KEYS_WINDOW_MS = 60_000;
/** How long a verified credential is accepted without hashing again. */
export const VERIFIED_CREDENTIAL_MS = 300_000;
/** A session of a browser ends that long after its last request, and at the latest that long after its log-in. */
export const SESSION_IDLE_MS = 12 * 3_600_000;
export const SESSION_MAX_MS = 7 * 24 * 3_600_000;
