import { HIDDEN_REFS, SERVER_REFS } from '../process/environment.ts';
import { gitOutput } from '../process/output.ts';
import type { Ref } from '../refs/packed-refs.ts';
import { NULL_ID } from '../refs/update.ts';
import type { Repository } from '../repository.ts';
import { pktLine } from './pkt-line.ts';
import { type GitService, protocolVariable, type Session } from './transport.ts';

type ClientRequest = Pick<Session, 'protocol' | 'signal'>;

const CHUNK_LINES = 1000;

/**
 * Produces the response to `GET info/refs`: the service name, then capabilities and refs. git is asked for its
 * capabilities once, because they depend on the program and our configuration, not on the repository. Afterwards, every
 * fetch and push saves a process, a tenth of the time of a small push.
 */
export class Advertiser {
  readonly #listRefs: (repo: Repository) => Promise<readonly Ref[]>;
  #ofProtocol2: Buffer | undefined;
  #ofReceivePack: string | undefined;

  constructor(listRefs: (repo: Repository) => Promise<readonly Ref[]>) {
    this.#listRefs = listRefs;
  }

  async *advertise(repo: Repository, service: GitService, client: ClientRequest = {}): AsyncGenerator<Buffer, void> {
    const lines = await this.#lines(repo, service, client);
    try {
      // Read before any output, so that a failure of git can still be reported as an error response.
      const first = await lines.next();
      yield Buffer.from(`${pktLine(`# service=${service}\n`)}0000`);
      if (first.done) return;
      yield first.value;
      yield* lines;
    } finally {
      await lines.return();
    }
  }

  async #lines(repo: Repository, service: GitService, client: ClientRequest): Promise<AsyncGenerator<Buffer, void>> {
    if (service === 'git-upload-pack' && client.protocol === 'version=2') {
      this.#ofProtocol2 ??= await collected(askGit(repo, service, client));
      return once(this.#ofProtocol2);
    }
    // git clients do not request a protocol version when they push.
    if (service === 'git-receive-pack' && client.protocol === undefined) {
      const refs = (await this.#listRefs(repo)).filter(({ name }) => !isHidden(name));
      if (refs.every(({ name }) => !name.includes('\ufffd'))) {
        this.#ofReceivePack ??= capabilitiesIn(await collected(askGit(repo, service, client)));
        return refLines(refs, this.#ofReceivePack);
      }
    }
    return askGit(repo, service, client);
  }
}

function askGit(
  repo: Repository,
  service: GitService,
  { protocol, signal }: ClientRequest,
): AsyncGenerator<Buffer, void> {
  const name = service === 'git-upload-pack' ? 'upload-pack' : 'receive-pack';
  const command = { name, flags: ['--stateless-rpc', '--http-backend-info-refs'], args: [repo.path] } as const;
  return gitOutput(repo, command, { signal, env: protocolVariable(protocol) });
}

/** Returns the text after the NUL in the first line. */
function capabilitiesIn(advertisement: Buffer): string {
  const from = advertisement.indexOf(0) + 1;
  const text = advertisement.toString('latin1', from, advertisement.indexOf(10, from));
  if (from === 0 || !text.includes('report-status')) throw new Error('unexpected capabilities of git receive-pack');
  return text;
}

async function* refLines(refs: readonly Ref[], capabilities: string): AsyncGenerator<Buffer, void> {
  const [first = { oid: NULL_ID, name: 'capabilities^{}' }] = refs;
  yield Buffer.from(pktLine(`${first.oid} ${first.name}\0${capabilities}\n`));
  for (let at = 1; at < refs.length; at += CHUNK_LINES) {
    const lines = refs.slice(at, at + CHUNK_LINES).map(({ oid, name }) => pktLine(`${oid} ${name}\n`));
    yield Buffer.from(lines.join(''));
  }
  yield Buffer.from('0000');
}

function isHidden(name: string): boolean {
  return [...HIDDEN_REFS, ...SERVER_REFS].some((prefix) => name.startsWith(`${prefix}/`));
}

async function collected(chunks: AsyncIterable<Buffer>): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(chunks));
}

async function* once(bytes: Buffer): AsyncGenerator<Buffer, void> {
  yield bytes;
}
