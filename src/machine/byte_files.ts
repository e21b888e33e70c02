/** Files in a folder of the data directory that are read and written by position, without waiting for turns of the event loop. */

/** Names the run of the kernel. */
const BOOT_ID = "/proc/sys/kernel/random/boot_id";

/** The files of one folder, which is created with the first of them. */
export class ByteFileFolder {
  readonly #folder: string;
  /** Identifies the run of the operating system; `undefined` where it is not known. */
  readonly systemRun: string | undefined;

  private constructor(folder: string, systemRun: string | undefined) {
    this.#folder = folder;
    this.systemRun = systemRun;
  }

  /** The files of a folder. */
  static async open(folder: string): Promise<ByteFileFolder> {
    const systemRun = await Deno.readTextFile(BOOT_ID).catch(() => undefined);
    return new ByteFileFolder(folder, systemRun?.trim());
  }

  /** Removes a folder with all files, if it exists. */
  static async remove(folder: string): Promise<void> {
    await Deno.remove(folder, { recursive: true }).catch((error) => {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    });
  }

  /** Opens a file; `isNew` empties it. `undefined` if it does not exist. @throws Error when it cannot be opened */
  open(name: string, isNew: boolean): ByteFile | undefined {
    const path = this.#pathOf(name);
    try {
      if (isNew) Deno.mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
      const options = { read: true, write: true, create: isNew, truncate: isNew, mode: 0o600 };
      return new ByteFile(Deno.openSync(path, options));
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return undefined;
      throw error;
    }
  }

  /** Removes a file, if it exists. @throws Error when it cannot be removed */
  remove(name: string): void {
    try {
      Deno.removeSync(this.#pathOf(name));
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
  }

  #pathOf(name: string): string {
    return `${this.#folder}/${encodeURIComponent(name)}`;
  }
}

/** An open file. */
class ByteFile {
  readonly #file: Deno.FsFile;

  constructor(file: Deno.FsFile) {
    this.#file = file;
  }

  /** Fills `into` from position `at`. @throws Error when the file ends before, or cannot be read */
  read(into: Uint8Array, at: number): void {
    this.#file.seekSync(at, Deno.SeekMode.Start);
    for (let done = 0; done < into.length;) {
      const count = this.#file.readSync(into.subarray(done));
      if (count === null) throw new Error(`Cannot read ${into.length} bytes at ${at}: the file ends before`);
      done += count;
    }
  }

  /** @throws Error when the disk is full or fails */
  write(bytes: Uint8Array, at: number): void {
    this.#file.seekSync(at, Deno.SeekMode.Start);
    for (let done = 0; done < bytes.length;) done += this.#file.writeSync(bytes.subarray(done));
  }

  /** Bytes of the file. */
  size(): number {
    return this.#file.statSync().size;
  }

  /** Waits until the disk has stored what was written. */
  sync(): Promise<void> {
    return this.#file.syncData();
  }

  /** Closes the file. */
  close(): void {
    this.#file.close();
  }
}
