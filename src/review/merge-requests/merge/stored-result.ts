import Type from 'typebox';
import { storedJson } from '../../../platform/stored-json.ts';
import type { MergeResult } from './finish.ts';

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
export function parseMergeResult(text: string | null): MergeResult | undefined {
  return text === null ? undefined : read(text);
}

export function serializeMergeResult(landing: MergeResult): string {
  return JSON.stringify(landing);
}
