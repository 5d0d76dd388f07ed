import type { Row } from '@tidegate/database';

/** An epoch that begins in or above the range: revisions between the two numbers do not exist. */
export interface Epoch {
  readonly epoch: number;
  readonly lastSurviving: number;
  readonly firstNew: number;
}

export interface Head {
  readonly revision: number;
  readonly floor: number;
  readonly epoch: number;
  readonly epochs: readonly Epoch[];
}

/** The head row with the epochs that begin above a revision, as one statement reads them. */
export function headWithEpochs(row: Row | undefined): Head {
  const [revision, floor, epoch, epochs] = row as [number, number, number, Array<[number, number, number]>];
  return {
    revision,
    floor,
    epoch,
    epochs: epochs.map(([number, lastSurviving, firstNew]) => ({ epoch: number, lastSurviving, firstNew })),
  };
}

/** Whether a reader cannot continue at this revision: it is below the floor, or was lost in a failover. */
export function isLost(head: Head, revision: number): boolean {
  return revision < head.floor || head.epochs.some((e) => revision > e.lastSurviving && revision < e.firstNew);
}
