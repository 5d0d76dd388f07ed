/**
 * Cancels a call in a separate turn of the event loop. Node sends the reset at once. If it does so while it reads the
 * end of another call on the same connection, it may free a stream twice, which aborts the process.
 */
export function cancelCall(call: { cancel(): void }): void {
  setImmediate(() => call.cancel());
}
