import type { Services } from '../../../access/services.ts';
import { settingsOf } from '../../../access/subjects.ts';
import type { Objects } from '../../../platform/git/objects/objects.ts';
import { PushRefused, type PushRequest } from '../push.ts';
import type { Brought } from './brought.ts';
import type { ChangedFile } from './new-objects.ts';
import { type FoundSecret, lineOf, secretsIn } from './secret-forms.ts';

/** Longer files are data, not written by hand. */
const largestFile = 1024 * 1024;
/** How much of one push is looked at: a whole history that is moved here is let through after that. */
const largestPush = 64 * 1024 * 1024;
const mostFiles = 50_000;
const mostTold = 10;

const skipOptions: readonly string[] = ['secret_push_protection.skip_all', 'secret_detection.skip_all'];
const skipMessage = /\[skip secret (?:push protection|detection)\]/i;

/** Refuses a push that adds a known secret to a project that is protected, unless the pusher says that it is none. */
export async function checkSecrets(services: Services, request: PushRequest, brought: Brought): Promise<void> {
  // What is merged or rebased was looked at when it was pushed.
  if (request.purpose === 'merge' || request.purpose === 'rebase') return;
  if (settingsOf(request.subject.project).secret_push_protection_enabled !== true) return;
  if (request.pushOptions?.some((option) => skipOptions.includes(option))) return;
  if (!(await services.settings.read()).secret_push_protection_available) return;
  const commits = await brought.commits();
  if (commits.some(({ message }) => skipMessage.test(message))) return;
  const told = await secretsOf(brought);
  if (told.length > 0) throw new PushRefused(refusal(told));
}

interface AddedSecret extends Pick<FoundSecret, 'kind'> {
  readonly path: string;
  readonly line: number;
  readonly commit: string | undefined;
}

async function secretsOf(brought: Brought): Promise<AddedSecret[]> {
  // Collected first: a process that is being read from must not wait for another one.
  const files = new Map<string, ChangedFile>();
  for await (const file of brought.files()) {
    if (file.blob !== null && files.size < mostFiles) files.set(`${file.blob} ${file.was}`, file);
  }
  const found: AddedSecret[] = [];
  let left = largestPush;
  for (const { path, blob, was } of files.values()) {
    const text = await textOf(brought.objects, blob);
    left -= text.length;
    if (left < 0 || found.length >= mostTold) break;
    const secrets = secretsIn(text);
    if (secrets.length === 0) continue;
    // What was there before is not added, wherever it stands now.
    const before = new Set(secretsIn(await textOf(brought.objects, was)).map(({ value }) => value));
    const added = secrets.filter(({ value }) => !before.has(value));
    const commit = added.length > 0 ? await commitWith(brought, path, blob) : undefined;
    for (const { kind, index } of added) found.push({ kind, path, line: lineOf(text, index), commit });
  }
  return found.slice(0, mostTold);
}

/** The text of a file byte by byte: no secret has other characters. Empty for what is no text, or too long to be looked at. */
async function textOf(objects: Objects, blob: string | null): Promise<string> {
  const info = blob === null ? undefined : await objects.info(blob);
  if (info?.status !== 'found' || info.type !== 'blob' || info.size > largestFile) return '';
  const bytes = (await objects.blob(info.oid)) ?? Buffer.alloc(0);
  return bytes.subarray(0, 8000).includes(0) ? '' : bytes.toString('latin1');
}

/** The first of the commits that have a file in this form. */
async function commitWith(brought: Brought, path: string, blob: string | null): Promise<string | undefined> {
  for (const { oid, tree } of (await brought.commits()).toReversed().slice(0, 1000)) {
    if ((await brought.objects.entryAt(tree, path))?.oid === blob) return oid;
  }
  return undefined;
}

/** Says where the secrets stand, and never what they are: logs keep what a client is told. */
function refusal(secrets: readonly AddedSecret[]): string {
  const where = secrets.map(
    ({ kind, path, line, commit }) => `-- ${path}:${line} ${kind}${commit === undefined ? '' : ` (commit ${commit})`}`,
  );
  return [
    'PUSH BLOCKED: Secrets detected in code changes',
    '',
    ...where,
    '',
    'Take them out of every commit that is pushed, and replace them where they are used: whoever saw them has them.',
    'If they are no secrets, push with "-o secret_push_protection.skip_all", or write "[skip secret push protection]"',
    'into the message of one of the commits.',
  ].join('\n');
}
