import { writeTar } from '../../platform/git/archive/tar.ts';
import { contributors, type Line, lineBytes, noting, packed, type Relation } from '../project-exports/public.ts';
import type { Exported } from './exported.ts';

export const comesInParts = ({ whole }: Exported, relation: string) => !Object.hasOwn(whole, relation);

/** What a relation is called that names whom all others speak of. */
const everybody = 'user_contributions';

export function relationNames({ whole, relations }: Exported): string[] {
  const { self, ...files } = Object.fromEntries(Object.keys(whole).map((name) => [name, name]));
  return [...(self ? [self] : []), ...relations.map(({ name }) => name), everybody, ...Object.keys(files)];
}

function linesOf(exported: Exported, relation: string): AsyncGenerator<Line, void> {
  const found: Relation | undefined = exported.relations.find(({ name }) => name === relation);
  return found ? found.lines(exported.services, exported.id) : peopleOf(exported);
}

/** Whom the lines of all relations speak of. */
async function* peopleOf({ services, id, relations }: Exported): AsyncGenerator<Line, void> {
  const people = new Set<number>();
  for (const { lines } of relations) {
    for await (const _line of noting(lines(services, id), people));
  }
  yield* contributors(services.db.read, people);
}

const maxInPart = 1000;

/** What one file holds; how many objects is known when it has been read. */
export interface RelationFile {
  readonly filename: string;
  /** From 1 on; 0 for the only one. */
  readonly batch: number;
  readonly bytes: AsyncGenerator<Buffer, void>;
  readonly count: () => number;
}

async function* once(bytes: Buffer): AsyncGenerator<Buffer, void> {
  yield bytes;
}

/** The files of a relation, one after the other: each is to be read before the next is asked for. */
export async function* filesOfRelation(
  exported: Exported,
  relation: string,
  batched: boolean,
  signal: AbortSignal,
): AsyncGenerator<RelationFile, void> {
  const single = exported.whole[relation];
  if (single) {
    const [ending, bytes] =
      'line' in single
        ? ['json.gz', once(Buffer.from(JSON.stringify(single.line())))]
        : ['tar.gz', writeTar(single.entries())];
    yield { filename: `${relation}.${ending}`, batch: 0, bytes: packed(bytes, signal), count: () => 1 };
    return;
  }
  const filename = `${relation}.ndjson.gz`;
  const walk = linesOf(exported, relation);
  let next = await walk.next();
  for (let batch = batched ? 1 : 0; batch === 0 || !next.done; batch += 1) {
    let count = 0;
    const part = async function* (): AsyncGenerator<Buffer, void> {
      for (; !next.done && (!batched || count < maxInPart); next = await walk.next()) {
        count += 1;
        yield lineBytes(next.value);
      }
    };
    yield { filename, batch, bytes: packed(part(), signal), count: () => count };
    if (!batched) return;
  }
}
