/** An error of a backup or a restore that the user can fix. Nothing was changed. */
export class BackupError extends Error {}
