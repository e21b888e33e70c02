/**
 * A connection to a broker of AMQP 0-9-1. The package `@cloudamqp/amqp-client` reads and writes its frames; the socket and all
 * bounds are here, so that a broker can neither fill the memory nor end the process.
 */
import { Buffer } from "node:buffer";
import type { Duplex } from "node:stream";
import { AMQPBaseClient } from "@cloudamqp/amqp-client/amqp-base-client";
import type { AMQPChannel } from "@cloudamqp/amqp-client/amqp-channel";
import type { AMQPMessage } from "@cloudamqp/amqp-client/amqp-message";
import { AMQPView } from "@cloudamqp/amqp-client/amqp-view";
import { systemClock } from "../../base/time/clock.ts";
import { UnsentResponses } from "../unsent_responses.ts";

/** How a user logs in. */
export interface AmqpLogin {
  readonly virtualHost: string;
  readonly username: string;
  readonly password: string;
}

/** "AMQP" and the version 0-9-1. */
const PROTOCOL_HEADER = Uint8Array.of(65, 77, 81, 80, 0, 0, 9, 1);
/** Largest frame that is agreed on; the default of RabbitMQ. */
const MAX_FRAME_BYTES = 128 * 1024;
/** Smallest frame size of the protocol. */
const MIN_FRAME_BYTES = 4096;
/** Type, channel and size, and the end of a frame. */
const HEAD_BYTES = 7, END_BYTES = 1;
const HEADER_FRAME = 2;
/** Position of the size of a message in its header frame. */
const BODY_SIZE_AT = HEAD_BYTES + 4;
/** Largest message; it is held in memory. */
const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;
/** The broker sends a heartbeat every half of it; the package returns each. */
const HEARTBEAT_SECONDS = 30;
/** Bytes of messages that wait for `take`, with what they take themselves; then the connection is read no further. */
const MAX_WAITING_BYTES = 16 * 1024 * 1024;
const MESSAGE_BYTES = 1024;
/** Bytes of memory for a byte of headers. */
const HEADER_WEIGHT = 16;

/** A connection. */
export class AmqpClient extends AMQPBaseClient {
  /** Rejects when the connection fails or the work must stop. */
  readonly broken: Promise<never>;
  /** Why it has failed. */
  failure: Error | undefined;
  readonly #socket: Duplex;
  readonly #failed = Promise.withResolvers<never>();
  /** Bytes of a frame that is not complete. */
  #rest: Buffer = Buffer.alloc(0);
  #waitingBytes = 0;
  /** Bytes of the last header frame, which is that of the message that comes next. */
  #headerBytes = 0;
  readonly #unsent = new UnsentResponses();
  /** Whether what is sent is a response to the frame that is read. */
  #isResponding = false;
  #taken: Promise<void> = Promise.resolve();
  #cancelIdle: (() => void) | undefined;

  /** Over a socket, which may be opening. */
  constructor(socket: Duplex, { virtualHost, username, password }: AmqpLogin) {
    super(virtualHost, username, password, "sluice", undefined, MAX_FRAME_BYTES, HEARTBEAT_SECONDS);
    this.#socket = socket;
    this.broken = this.#failed.promise;
    this.broken.catch(() => {}); // Read while work is under way.
    this.onerror = (error) => this.fail(error);
    socket.on("data", (bytes: Buffer) => this.#read(bytes));
    socket.on("error", (error: Error) => this.fail(error));
    socket.on("close", () => this.fail(new Error("The connection was closed")));
  }

  /** Logs in. @throws Error the broker refuses */
  override async connect(): Promise<AmqpClient> {
    const connected = Promise.withResolvers<AMQPBaseClient>();
    this.connectPromise = [connected.resolve, connected.reject];
    this.send(PROTOCOL_HEADER); // Written when the socket is open.
    await Promise.race([connected.promise, this.broken]);
    if (this.frameMax < MIN_FRAME_BYTES) {
      throw new Error(`The broker allows only ${this.frameMax} bytes a frame`);
    }
    this.#watch();
    return this;
  }

  /** A channel; an error of it ends the connection. */
  async openChannel(): Promise<AMQPChannel> {
    const channel = await Promise.race([this.channel(), this.broken]);
    channel.onerror = (reason) => this.fail(new Error(reason));
    return channel;
  }

  /** Takes the messages of a queue, one after the other, and acknowledges each when `take` has resolved. */
  async consume(
    channel: AMQPChannel,
    { queue, tag, noAck }: { readonly queue: string; readonly tag: string; readonly noAck: boolean },
    take: (message: AMQPMessage) => Promise<void>,
  ): Promise<void> {
    const receive = (message: AMQPMessage) => {
      const size = message.bodySize + MESSAGE_BYTES + this.#headerBytes * HEADER_WEIGHT;
      this.#wait(size);
      this.#taken = this.#taken.then(async () => {
        if (this.failure) return;
        await take(message);
        if (!noAck) await channel.basicAck(message.deliveryTag);
        this.#wait(-size);
      });
      this.#taken.catch((error) => this.fail(error));
    };
    const consumer = await Promise.race([channel.basicConsume(queue, { tag, noAck }, receive), this.broken]);
    consumer.wait().catch((error: Error) => this.fail(error));
  }

  /** Ends the work over the connection; the message that is being taken may still be acknowledged. */
  stop(error: Error): void {
    this.failure ??= error;
    this.#failed.reject(error);
  }

  /** Ends the work, and the connection at once. */
  fail(error: Error): void {
    if (this.#socket.destroyed && this.failure) return;
    this.stop(error);
    this.closeSocket();
    this.connectPromise?.[1](error);
    for (const channel of this.channels) channel?.setClosed(error);
  }

  /** Closes channels and connection, so that the broker has all acknowledgements; after some time at once. */
  async end(timeoutMs: number): Promise<void> {
    this.#cancelIdle?.();
    const late = Promise.withResolvers<void>();
    const cancel = systemClock.setTimer(timeoutMs, late.resolve);
    const closed = new Promise<void>((resolve) => this.#socket.once("close", resolve));
    if (this.#socket.closed) return cancel();
    await Promise.race([this.#leave().catch(() => {}), late.promise, closed]);
    cancel();
    this.closeSocket();
    await closed;
  }

  async #leave(): Promise<void> {
    await this.#taken.catch(() => {});
    for (const channel of this.channels) {
      if (channel && channel.id > 0 && !channel.closed) await channel.close();
    }
    await this.close();
  }

  /** @inheritdoc Resolves in any case: a failure is one of the connection. */
  override send(bytes: Uint8Array): Promise<void> {
    if (this.#isResponding) return this.#unsent.write(this.#socket, bytes);
    return new Promise((resolve) => this.#socket.write(bytes, () => resolve()));
  }

  /** @inheritdoc */
  protected override closeSocket(): void {
    this.closed = true;
    this.#cancelIdle?.();
    this.#socket.destroy();
  }

  #read(bytes: Buffer): void {
    if (this.#cancelIdle) this.#watch();
    let buffer = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    try {
      for (;;) {
        const size = frameSizeOf(buffer);
        if (size === undefined || size > buffer.length || this.#socket.destroyed) break;
        if (buffer[0] === HEADER_FRAME) this.#headerBytes = size;
        this.#isResponding = true;
        this.parseFrames(new AMQPView(buffer.buffer, buffer.byteOffset, size));
        buffer = buffer.subarray(size);
      }
      this.#rest = buffer;
    } catch (error) {
      this.fail(error as Error);
    } finally {
      this.#isResponding = false;
    }
  }

  #wait(bytes: number): void {
    this.#waitingBytes += bytes;
    if (this.#waitingBytes >= MAX_WAITING_BYTES) this.#socket.pause();
    else if (this.#socket.isPaused()) {
      this.#watch();
      this.#socket.resume();
    }
  }

  /** Fails unless the broker sends something in time, at least a heartbeat. */
  #watch(): void {
    this.#cancelIdle?.();
    if (this.heartbeat === 0 || this.#socket.destroyed) return;
    const idleMs = this.heartbeat * 2000;
    this.#cancelIdle = systemClock.setTimer(idleMs, () => {
      if (this.#socket.isPaused()) this.#watch();
      else this.fail(new Error(`The broker sent nothing for ${idleMs / 1000} s`));
    });
  }
}

/** Bytes of the first frame; `undefined` if they are not known yet. @throws Error the frame or its message is too large */
function frameSizeOf(buffer: Buffer): number | undefined {
  if (buffer.length < HEAD_BYTES) return undefined;
  const size = buffer.readUInt32BE(3) + HEAD_BYTES + END_BYTES;
  if (size > MAX_FRAME_BYTES) {
    throw new Error("The broker sent a frame that is too large, or does not use AMQP 0-9-1");
  }
  if (buffer[0] !== HEADER_FRAME || buffer.length < BODY_SIZE_AT + 8) return size;
  if (buffer.readBigUInt64BE(BODY_SIZE_AT) > MAX_MESSAGE_BYTES) {
    throw new Error(`The broker sent a message of more than ${MAX_MESSAGE_BYTES} bytes`);
  }
  return size;
}
