/** Why a backup or a restore cannot be done, in one line that says what to do; nothing was changed. */
export class Refusal extends Error {}
