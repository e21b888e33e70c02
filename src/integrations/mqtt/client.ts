/**
 * A client of MQTT 3.1.1 and 5 for one connection: the package `mqtt-packet` reads and writes its packets. The package `mqtt` would
 * bring 9 MB, with timers, proxies and programs of its own.
 */
import type { Buffer } from "node:buffer";
import type { Duplex } from "node:stream";
import { systemClock } from "../../base/time/clock.ts";
import { UnsentResponses } from "../unsent_responses.ts";

/** Properties of a packet in MQTT 5. */
interface PacketProperties {
  readonly responseTopic?: string;
  readonly correlationData?: Buffer;
  readonly reasonString?: string;
  readonly sessionExpiryInterval?: number;
  /** Messages with quality 1 and 2 that the sender of the packet handles at the same time. */
  readonly receiveMaximum?: number;
}

/** A packet of the protocol, with the members that its command has. */
interface Packet {
  readonly cmd: string;
  readonly messageId?: number;
  /** Of MQTT 3.1.1. */
  readonly returnCode?: number;
  /** Of MQTT 5; from 128 on a refusal. */
  readonly reasonCode?: number;
  readonly granted?: readonly number[];
  readonly properties?: PacketProperties;
}

/** A message. */
export interface MqttMessage {
  readonly topic: string;
  readonly payload: Buffer;
  readonly qos: number;
  readonly retain: boolean;
  readonly messageId?: number;
  readonly properties?: PacketProperties;
}

/** How a client connects. */
export interface MqttOptions {
  readonly protocolVersion: 4 | 5;
  /** Empty: the broker chooses one. */
  readonly clientId: string;
  readonly clean: boolean;
  readonly username: string | undefined;
  readonly password: string | undefined;
  readonly properties?: PacketProperties;
  /**
   * Takes one message after the other. The broker keeps a message until `acknowledge` is called, perhaps later; that throws an
   * error once the connection is closed.
   */
  readonly take: (message: MqttMessage, acknowledge: () => void) => Promise<void>;
}

interface PacketParser {
  readonly packet: { readonly cmd: string; readonly length: number };
  _pos: number;
  on(event: "packet", listener: (packet: Packet) => void): void;
  on(event: "error", listener: (error: Error) => void): void;
  parse(bytes: Uint8Array): void;
  _parsePayload(): boolean;
  _parseProperties(): object | false;
  _parseVarByteNum(): number;
}

interface PacketPackage {
  parser(options: { readonly protocolVersion: number }): PacketParser;
  generate(packet: object, options: { readonly protocolVersion: number }): Buffer;
}

const KEEP_ALIVE_SECONDS = 60;
/** Twice within the time after which the broker gives the client up. */
const PING_MS = 30_000;
/** Messages that wait for `take`, and their bytes; then the connection is read no further. */
const MAX_WAITING = 100;
const MAX_WAITING_BYTES = 16 * 1024 * 1024;
/** Largest packet; it is held in memory. */
const MAX_PACKET_BYTES = 64 * 1024 * 1024;
/** Largest packet without a message, and most properties of a message; each part of them becomes a value. */
const MAX_PARTS_BYTES = 1024 * 1024;
const REFUSED_FROM = 128;
/** Acknowledgements that end a request. */
const FINAL = new Set(["puback", "pubcomp", "suback"]);

/** A connection. */
export class MqttClient {
  /** Rejects when the connection fails or is closed. */
  readonly broken: Promise<never>;
  readonly #socket: Duplex;
  readonly #options: MqttOptions;
  readonly #package: PacketPackage;
  readonly #failed = Promise.withResolvers<never>();
  readonly #connected = Promise.withResolvers<void>();
  readonly #pending = new Map<number, PromiseWithResolvers<void>>();
  #lastId = 0;
  #waiting = 0;
  #waitingBytes = 0;
  /** Bytes since the last whole packet. */
  #partialBytes = 0;
  readonly #unsent = new UnsentResponses();
  #taken: Promise<void> = Promise.resolve();
  #cancelPing: (() => void) | undefined;
  #isPinging = false;
  #receiveMaximum: number | undefined;

  private constructor(socket: Duplex, options: MqttOptions, mqttPacket: PacketPackage) {
    this.#socket = socket;
    this.#options = options;
    this.#package = mqttPacket;
    this.broken = this.#failed.promise;
    this.broken.catch(() => {}); // Read while work is under way.
    const parser = mqttPacket.parser(options);
    boundParts(parser);
    parser.on("packet", (packet) => this.#receive(packet));
    parser.on("error", (error) => this.fail(error));
    socket.on("data", (bytes: Uint8Array) => {
      try {
        this.#partialBytes += bytes.length;
        parser.parse(bytes);
        if (this.#partialBytes <= MAX_PACKET_BYTES) return;
        throw new Error(`The broker sent a message of more than ${MAX_PACKET_BYTES} bytes`);
      } catch (error) {
        this.fail(error as Error);
        socket.destroy();
      }
    });
    socket.on("error", (error: Error) => this.fail(error));
    socket.on("close", () => this.fail(new Error("The connection was closed")));
  }

  /** Connects over a socket, which may be opening. @throws Error the broker refuses the client */
  static async connect(socket: Duplex, options: MqttOptions): Promise<MqttClient> {
    const mqttPacket = (await import("mqtt-packet")).default as unknown as PacketPackage;
    const client = new MqttClient(socket, options, mqttPacket);
    const { protocolVersion, clientId, clean, username, password, properties } = options;
    client.#send({
      cmd: "connect",
      protocolId: "MQTT",
      protocolVersion,
      clean,
      clientId,
      keepalive: KEEP_ALIVE_SECONDS,
      username,
      password,
      ...protocolVersion === 5 && { properties: { ...properties, maximumPacketSize: MAX_PACKET_BYTES } },
    });
    client.#pingLater();
    return client;
  }

  /** Resolves when the broker has accepted the client. @throws Error it refuses */
  async accepted(): Promise<void> {
    await Promise.race([this.#connected.promise, this.broken]);
  }

  /** The receive maximum that the broker announces in MQTT 5. Some brokers also send only so many without an acknowledgement. */
  get receiveMaximum(): number | undefined {
    return this.#receiveMaximum;
  }

  /** Sends a message; resolves when the broker has it, with quality 0 when it is sent. @throws Error it is refused */
  async publish(message: Omit<MqttMessage, "messageId">): Promise<void> {
    await this.#request({ cmd: "publish", dup: false, ...message }, message.qos > 0);
  }

  /** Subscribes to topics. @throws Error a topic is refused */
  async subscribe(topics: readonly string[], qos: number): Promise<void> {
    const subscriptions = topics.map((topic) => ({ topic, qos, nl: false, rap: false, rh: 0 }));
    await this.#request({ cmd: "subscribe", subscriptions }, true);
  }

  /** Ends the work over the connection. */
  fail(error: Error): void {
    this.#cancelPing?.();
    this.#connected.promise.catch(() => {});
    this.#failed.reject(error);
    this.#connected.reject(error);
    for (const { reject } of this.#pending.values()) reject(error);
    this.#pending.clear();
  }

  /** Takes leave and closes the connection, after some time at once. */
  async close(timeoutMs: number): Promise<void> {
    this.#cancelPing?.();
    if (this.#socket.closed) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#socket.once("close", resolve);
    const cancel = systemClock.setTimer(timeoutMs, () => this.#socket.destroy());
    if (this.#socket.writable) this.#send({ cmd: "disconnect" });
    this.#socket.end();
    this.#socket.resume();
    await promise;
    cancel();
  }

  #send(packet: object): void {
    this.#socket.write(this.#package.generate(packet, this.#options));
  }

  #respond(packet: object): void {
    void this.#unsent.write(this.#socket, this.#package.generate(packet, this.#options));
  }

  async #request(packet: object, isAcknowledged: boolean): Promise<void> {
    if (!isAcknowledged) return this.#send(packet);
    const messageId = this.#lastId = this.#lastId % 65_535 + 1;
    const acknowledged = Promise.withResolvers<void>();
    this.#pending.set(messageId, acknowledged);
    this.#send({ ...packet, messageId });
    await Promise.race([acknowledged.promise, this.broken]);
  }

  #pingLater(): void {
    this.#cancelPing = systemClock.setTimer(PING_MS, () => {
      if (this.#isPinging) return this.fail(new Error(`There was no response within ${PING_MS / 1000} s`));
      this.#isPinging = true;
      this.#send({ cmd: "pingreq" });
      this.#pingLater();
    });
  }

  #receive(packet: Packet): void {
    const { cmd, messageId = 0 } = packet;
    this.#isPinging = false;
    this.#partialBytes = 0;
    if (cmd === "publish") return this.#take(packet as Packet & MqttMessage);
    if (cmd === "pubrel") return this.#respond({ cmd: "pubcomp", messageId });
    const refusal = refusalOf(packet);
    if (cmd === "connack") {
      this.#receiveMaximum = packet.properties?.receiveMaximum;
      return refusal ? this.fail(refusal) : this.#connected.resolve();
    }
    if (cmd === "disconnect") return this.fail(refusal ?? new Error("The broker closed the connection"));
    if (cmd === "pubrec" && !refusal) return this.#respond({ cmd: "pubrel", messageId });
    if (!FINAL.has(cmd) && !refusal) return;
    const pending = this.#pending.get(messageId);
    this.#pending.delete(messageId);
    if (refusal) pending?.reject(refusal);
    else pending?.resolve();
  }

  get #isFull(): boolean {
    return this.#waiting >= MAX_WAITING || this.#waitingBytes >= MAX_WAITING_BYTES;
  }

  #take(message: Packet & MqttMessage): void {
    const { length } = message.payload;
    this.#waiting++;
    this.#waitingBytes += length;
    if (this.#isFull) this.#socket.pause();
    const take = () => this.#options.take(message, this.#acknowledgement(message));
    this.#taken = this.#taken.then(take).then(() => {
      this.#waiting--;
      this.#waitingBytes -= length;
      if (!this.#isFull) this.#socket.resume();
    });
    this.#taken.catch((error) => this.fail(error));
  }

  /** It does not hold the message: thousands may wait for their acknowledgement. */
  #acknowledgement({ qos, messageId }: MqttMessage): () => void {
    return () => {
      if (qos === 0) return;
      if (!this.#socket.writable) throw new Error("The connection was closed");
      this.#send({ cmd: qos === 1 ? "puback" : "pubrec", messageId });
    };
  }
}

/** Version 9.0.2 reads properties without a limit, and waits for packets of any length. */
function boundParts(parser: PacketParser): void {
  const { _parsePayload: parsePayload, _parseProperties: parseProperties } = parser;
  parser._parsePayload = function (this: PacketParser): boolean {
    const { cmd, length } = this.packet;
    if (cmd !== "publish" && length > MAX_PARTS_BYTES) {
      throw new Error(`The broker sent a packet without a message of more than ${MAX_PARTS_BYTES} bytes`);
    }
    return parsePayload.call(this);
  };
  parser._parseProperties = function (this: PacketParser): object | false {
    const position = this._pos;
    const length = this._parseVarByteNum();
    if (length > MAX_PARTS_BYTES) {
      throw new Error(`The broker sent a message with more than ${MAX_PARTS_BYTES} bytes of properties`);
    }
    this._pos = position;
    return parseProperties.call(this);
  };
}

function refusalOf(
  { cmd, returnCode = 0, reasonCode = 0, granted = [], properties }: Packet,
): Error | undefined {
  const codes = [reasonCode, ...granted, cmd === "connack" && returnCode > 0 ? returnCode + REFUSED_FROM : 0];
  const code = codes.find((each) => each >= REFUSED_FROM);
  if (code === undefined) return undefined;
  const reason = properties?.reasonString ?? REASONS.get(code);
  return new Error(`The broker refused with code ${returnCode || code}${reason ? `: ${reason}` : ""}`);
}

/** Meanings of common codes, of MQTT 5 and, from 129, of MQTT 3.1.1 plus 128. */
const REASONS: ReadonlyMap<number, string> = new Map([
  [132, "user name or password is wrong"],
  [133, "user name, password or client id is not accepted"],
  [134, "user name or password is wrong"],
  [135, "not authorized"],
  [143, "the filter of topics is not valid"],
  [144, "the topic is not valid"],
]);
