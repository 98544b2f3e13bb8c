import type { SignedInActor } from '../../../access/actor.ts';
import { ownerColumnsOf, type ProjectOrGroup } from '../../../access/project-or-group.ts';
import type { Services } from '../../../access/services.ts';
import { keepImportedFile, markdownFor, uploadName } from '../../../namespaces/projects/public.ts';
import type { EnclosedFile, Message } from '../messages/message.ts';

const maxFiles = 20;

/**
 * Uploads the attachments to the project or group and returns the text with links to them in place of their
 * placeholders.
 */
export async function withFiles(
  services: Services,
  caller: SignedInActor,
  place: ProjectOrGroup,
  received: { readonly id: number },
  { files }: Pick<Message, 'files'>,
  text: string,
): Promise<string> {
  const { max_attachment_size: mebibytes } = await services.settings.read();
  const shown = files.filter(({ marks }) => marks.length === 0 || marks.some((mark) => text.includes(mark)));
  let written = text;
  const below: string[] = [];
  for (const [index, file] of shown.slice(0, maxFiles).entries()) {
    const name = uploadName(file.name);
    const show =
      place.can('upload_file') && file.content.length <= mebibytes * 1024 * 1024
        ? await keep(services, caller, place, { secret: secretOf(services, received.id, index), name, file })
        : `(${name.replace(/[[\]]/g, '\\$&')} was left out)`;
    const mark = file.marks.find((each) => text.includes(each));
    if (mark === undefined) below.push(show);
    else written = written.replaceAll(mark, () => show);
  }
  return [written, ...below].join('\n\n');
}

/** Returns the upload secret: deterministic, so that a retry does not store a file twice, and not guessable. */
function secretOf({ encryption }: Services, id: number, index: number): string {
  return encryption.sign(`${id} ${index}`, 'incoming-mail.upload').toString('hex').slice(0, 32);
}

async function keep(
  services: Services,
  { user }: SignedInActor,
  place: ProjectOrGroup,
  { secret, name, file }: { readonly secret: string; readonly name: string; readonly file: EnclosedFile },
): Promise<string> {
  const upload = { secret, filename: name, userId: user.id, size: file.content.length };
  await keepImportedFile(services, ownerColumnsOf(place), upload, pieces(file.content));
  return markdownFor(name, `/uploads/${secret}/${name}`).markdown;
}

async function* pieces(content: Uint8Array) {
  yield content;
}
