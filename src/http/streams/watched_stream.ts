/** Streams of responses whose client may stop reading. */
import { DomainError } from "../../model/errors.ts";
import { watchTransfer } from "../../model/http/transfer_watch.ts";

/** Time without progress. The system reports room only when half of its buffer is free: a slow client needs a minute for that. */
export const MAX_READER_WAIT_SECONDS = 300;
/** A client that read so much has made progress. */
export const MIN_READ_BYTES = 16_384;

/** The failure of a stream whose client does not read. */
export function stalledReader(): DomainError {
  return new DomainError("request_timeout", "Request Timeout: the response is not read");
}

/** The stream; it fails when the client of the request reads nothing for five minutes. */
export function watchedStream(
  request: Request,
  stream: ReadableStream<Uint8Array>,
): ReadableStream<Uint8Array> {
  const reader = stream.getReader();
  let fail: (error: DomainError) => void = () => {};
  const watch = watchTransfer(request, MAX_READER_WAIT_SECONDS, () => {
    const error = stalledReader();
    fail(error);
    reader.cancel(error).catch(() => undefined);
  });
  let rest = new Uint8Array();
  return new ReadableStream({
    start: (controller) => void (fail = (error) => controller.error(error)),
    async pull(controller) {
      watch?.moved(MIN_READ_BYTES);
      while (rest.length === 0) {
        const { done, value } = await reader.read().catch((error) => {
          watch?.end();
          throw error;
        });
        if (done) {
          watch?.end();
          return controller.close();
        }
        rest = value as Uint8Array<ArrayBuffer>;
      }
      controller.enqueue(rest.subarray(0, MIN_READ_BYTES));
      rest = rest.subarray(MIN_READ_BYTES);
      watch?.wait();
    },
    async cancel(reason) {
      watch?.end();
      await reader.cancel(reason);
    },
  }, { highWaterMark: 0 });
}
