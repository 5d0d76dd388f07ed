/**
 * Cancels a call in a turn of the loop of its own. Node sends the reset at once, and when that happens while it reads the
 * end of a call of the same connection it may free a stream twice, which aborts the process.
 */
export function cancelCall(call: { cancel(): void }): void {
  setImmediate(() => call.cancel());
}
