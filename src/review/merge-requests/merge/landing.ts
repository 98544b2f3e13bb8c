import Type from 'typebox';
import { storedJson } from '../../../platform/stored-json.ts';
import type { Landing } from './finish.ts';

const read = storedJson(
  Type.Object({
    userId: Type.Integer(),
    mergeCommit: Type.Union([Type.String(), Type.Null()]),
    squashCommit: Type.Union([Type.String(), Type.Null()]),
    removeSource: Type.Boolean(),
    onto: Type.Optional(Type.String()),
    trainGoesOn: Type.Optional(Type.Boolean()),
  }),
);

/** Parses the planned result of a merge in progress, as stored in the row. */
export function readLanding(text: string | null): Landing | undefined {
  return text === null ? undefined : read(text);
}

export function writeLanding(landing: Landing): string {
  return JSON.stringify(landing);
}
