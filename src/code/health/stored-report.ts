import { type Static, type TSchema, Type } from 'typebox';
import { storedJson } from '../../platform/stored-json.ts';

const size = Type.Number();
const flag = Type.Boolean();
const object = <F extends Record<string, TSchema>>(fields: F) => Type.Object(fields);

const Bitmap = object({ hasHashCache: flag, hasLookupTable: flag, version: size });

/** A report as stored in its row. Undefined properties are absent. */
const Report = object({
  size,
  references: object({ looseCount: size, packedSize: size }),
  objects: object({
    size,
    recentSize: size,
    staleSize: size,
    keepSize: size,
    packfileCount: size,
    reverseIndexCount: size,
    cruftCount: size,
    keepCount: size,
    looseCount: size,
    staleLooseCount: size,
    looseGarbageCount: size,
  }),
  commitGraph: object({
    chainLength: size,
    hasBloomFilters: flag,
    hasGenerationData: flag,
    hasGenerationDataOverflow: flag,
  }),
  bitmap: Type.Optional(Bitmap),
  multiPackIndex: Type.Optional(object({ packfileCount: size, version: size })),
  multiPackIndexBitmap: Type.Optional(Bitmap),
  alternates: Type.Optional(object({ directories: Type.Array(Type.String()), modified: size })),
  lastFullRepack: Type.Optional(size),
});

export type StoredReport = Static<typeof Report>;

export const readReport = storedJson(Report);
