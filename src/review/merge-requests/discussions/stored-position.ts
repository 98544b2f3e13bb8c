import Type, { type Static } from 'typebox';
import { storedJson } from '../../../platform/stored-json.ts';

const line = Type.Optional(Type.Union([Type.Integer(), Type.Null()]));
const text = Type.Optional(Type.Union([Type.String(), Type.Null()]));
const RangeEnd = Type.Object({ line_code: text, type: text, old_line: line, new_line: line });
const Range = Type.Object({ start: Type.Optional(RangeEnd), end: Type.Optional(RangeEnd) });
const Position = Type.Object({
  base_sha: Type.String(),
  start_sha: Type.String(),
  head_sha: Type.String(),
  old_path: Type.String(),
  new_path: Type.String(),
  position_type: Type.String(),
  old_line: line,
  new_line: line,
  line_range: Type.Optional(Type.Union([Range, Type.Null()])),
});

export type RangeEnd = Static<typeof RangeEnd>;
/** Stored position of a note in a diff. */
export type StoredPosition = Static<typeof Position>;
export const readPosition = storedJson(Position);
