import Type from 'typebox';
import { storedJson } from '../../../platform/stored-json.ts';
import type { PreparedMerge } from '../merge/commits.ts';

const read = storedJson(
  Type.Object({
    tip: Type.String(),
    mergeCommit: Type.Union([Type.String(), Type.Null()]),
    squashCommit: Type.Union([Type.String(), Type.Null()]),
    onTopOf: Type.Array(Type.String()),
  }),
);

/** Parses the commits of a car, which its pipeline runs on and its merge produces. */
export function readPrepared(text: string | null): PreparedMerge | undefined {
  return text === null ? undefined : read(text);
}
