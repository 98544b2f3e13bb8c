import { writeTar } from '../../platform/git/archive/tar.ts';
import {
  collectingPeople,
  compressed,
  contributors,
  type Line,
  lineBytes,
  type Relation,
} from '../project-exports/public.ts';
import type { Exported } from './exported.ts';

export const isBatchable = ({ whole }: Exported, relation: string) => !Object.hasOwn(whole, relation);

/** Relation that lists the users referenced by all others. */
const usersRelation = 'user_contributions';

export function relationNames({ whole, relations }: Exported): string[] {
  const { self, ...files } = Object.fromEntries(Object.keys(whole).map((name) => [name, name]));
  return [...(self ? [self] : []), ...relations.map(({ name }) => name), usersRelation, ...Object.keys(files)];
}

function linesOf(exported: Exported, relation: string): AsyncGenerator<Line, void> {
  const found: Relation | undefined = exported.relations.find(({ name }) => name === relation);
  return found ? found.lines(exported.services, exported.id) : peopleOf(exported);
}

/** The users referenced by all relations. */
async function* peopleOf({ services, id, relations }: Exported): AsyncGenerator<Line, void> {
  const people = new Set<number>();
  for (const { lines } of relations) {
    for await (const _line of collectingPeople(lines(services, id), people));
  }
  yield* contributors(services.db.read, people);
}

const maxBatchObjects = 1000;

/** An export file. The number of objects is known once it has been read. */
export interface RelationFile {
  readonly filename: string;
  /** Starts at 1; 0 for an unbatched file. */
  readonly batch: number;
  readonly bytes: AsyncGenerator<Buffer, void>;
  readonly count: () => number;
}

async function* once(bytes: Buffer): AsyncGenerator<Buffer, void> {
  yield bytes;
}

/** Iterates over the files of a relation. Each file must be read before the next is requested. */
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
        ? ['json.gz', once(Buffer.from(JSON.stringify(await single.line())))]
        : ['tar.gz', writeTar(single.entries())];
    yield { filename: `${relation}.${ending}`, batch: 0, bytes: compressed(bytes, signal), count: () => 1 };
    return;
  }
  const filename = `${relation}.ndjson.gz`;
  const walk = linesOf(exported, relation);
  let next = await walk.next();
  for (let batch = batched ? 1 : 0; batch === 0 || !next.done; batch += 1) {
    let count = 0;
    const part = async function* (): AsyncGenerator<Buffer, void> {
      for (; !next.done && (!batched || count < maxBatchObjects); next = await walk.next()) {
        count += 1;
        yield lineBytes(next.value);
      }
    };
    yield { filename, batch, bytes: compressed(part(), signal), count: () => count };
    if (!batched) return;
  }
}
