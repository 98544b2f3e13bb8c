import { writeTar } from '../../platform/git/archive/tar.ts';
import {
  attributesOf,
  contributors,
  type Line,
  largeFiles,
  lineBytes,
  type Making,
  noting,
  packed,
  relations,
  repositoryBundle,
  uploads,
} from '../project-exports/public.ts';

/** What comes as lines can come in parts; the rest is one file each. */
const whole: Readonly<Record<string, { readonly ending: string; bytes(making: Making): AsyncIterable<Buffer> }>> = {
  self: { ending: 'json.gz', bytes: (making) => once(Buffer.from(JSON.stringify(attributesOf(making)))) },
  repository: { ending: 'tar.gz', bytes: (making) => writeTar(repositoryBundle(making, 'repository.bundle')) },
  uploads: { ending: 'tar.gz', bytes: (making) => writeTar(uploads(making, '')) },
  lfs_objects: {
    ending: 'tar.gz',
    bytes: (making) => writeTar(largeFiles(making, { folder: '', list: 'lfs_objects.json' })),
  },
};

export const relationNames: readonly string[] = [
  'self',
  ...relations.map(({ name }) => name),
  'user_contributions',
  'repository',
  'uploads',
  'lfs_objects',
];

export const comesInParts = (relation: string) => !Object.hasOwn(whole, relation);

async function* once(bytes: Buffer): AsyncGenerator<Buffer, void> {
  yield bytes;
}

function linesOf({ services, project }: Making, relation: string): AsyncGenerator<Line, void> {
  const found = relations.find(({ name }) => name === relation);
  return found ? found.lines(services, project.id) : everybody({ services, project });
}

/** Whom the lines of all relations speak of. */
async function* everybody({ services, project }: Pick<Making, 'services' | 'project'>): AsyncGenerator<Line, void> {
  const people = new Set<number>();
  for (const { lines } of relations) {
    for await (const _line of noting(lines(services, project.id), people));
  }
  yield* contributors(services.db.read, people);
}

const mostInPart = 1000;

/** What one file holds; how many objects is known when it has been read. */
export interface RelationFile {
  readonly filename: string;
  /** From 1 on; 0 for the only one. */
  readonly batch: number;
  readonly bytes: AsyncGenerator<Buffer, void>;
  readonly count: () => number;
}

/** The files of a relation, one after the other: each is to be read before the next is asked for. */
export async function* filesOfRelation(
  making: Making,
  relation: string,
  batched: boolean,
): AsyncGenerator<RelationFile, void> {
  const { signal } = making;
  const single = whole[relation];
  if (single) {
    const filename = `${relation}.${single.ending}`;
    yield { filename, batch: 0, bytes: packed(single.bytes(making), signal), count: () => 1 };
    return;
  }
  const filename = `${relation}.ndjson.gz`;
  const walk = linesOf(making, relation);
  let next = await walk.next();
  for (let batch = batched ? 1 : 0; batch === 0 || !next.done; batch += 1) {
    let count = 0;
    const part = async function* (): AsyncGenerator<Buffer, void> {
      for (; !next.done && (!batched || count < mostInPart); next = await walk.next()) {
        count += 1;
        yield lineBytes(next.value);
      }
    };
    yield { filename, batch, bytes: packed(part(), signal), count: () => count };
    if (!batched) return;
  }
}
