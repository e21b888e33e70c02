/** Why a text is not Ion. `reason` has no prefix, so that callers can put their own before it. */
export class IonError extends Error {
  override readonly name = "IonError";
  readonly code: "syntax" | "limit";
  readonly reason: string;

  constructor(code: "syntax" | "limit", reason: string) {
    super(`Cannot read the Ion text: ${reason}`);
    this.code = code;
    this.reason = reason;
  }
}
