import { randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import type { Actor, SignedInActor } from '../../access/actor.ts';
import { type OwnerColumns, ownerColumnsOf, type ProjectOrGroup } from '../../access/project-or-group.ts';
import type { Services } from '../../access/services.ts';
import { recordEvent } from '../../namespaces/events/public.ts';
import type { Writer } from '../../platform/database/database.ts';
import { pathProblem } from '../../platform/git/trees/path.ts';
import type { UploadedFile } from '../../platform/http/bodies/upload.ts';
import { Invalid, NotFound, ParameterError, TooLarge } from '../../platform/http/errors.ts';
import { lengthProblem } from '../../platform/http/parameters/too-long.ts';
import { renderTexts } from '../markdown/public.ts';
import { deleteNotesOf } from '../notes/public.ts';
import { deleteTodosOf } from '../todos/public.ts';
import { findPage, listPageFiles, type PageFile } from './files.ts';
import { enqueueMeasure } from './measure.ts';
import { type Format, formats, type PageText, pathOf, readPage, slugOf, titleOf, writePage } from './page.ts';
import { requireReadable } from './readable.ts';
import { commitToWiki, duplicatePageError, wikiBranch, wikiChangedError } from './repository.ts';
import type { NewPageParams, PageChangeParams, WikiAttachmentEntity, WikiPageEntity } from './schema.ts';
import * as store from './store.ts';
import type { PageChange } from './tables.ts';

function present(
  page: Omit<PageFile, 'oid' | 'isTooLarge'>,
  number: number | undefined,
  content?: string,
): WikiPageEntity {
  const { slug, format } = page;
  const basic = { format, slug, title: titleOf(slug), wiki_page_meta_id: number ?? null };
  if (content === undefined) return basic;
  return { ...basic, content, encoding: 'UTF-8', front_matter: page.frontMatter };
}

/** Lists all pages by slug. */
export async function listPages(
  services: Services,
  place: ProjectOrGroup,
  withContent: boolean,
): Promise<WikiPageEntity[]> {
  requireReadable(place);
  const owner = ownerColumnsOf(place);
  const files = await listPageFiles(services, owner, withContent);
  const numbers = await store.pageNumbers(
    services.db.read,
    owner,
    files.map(({ slug }) => slug),
  );
  return files.map((file) => present(file, numbers.get(file.slug), withContent ? file.content : undefined));
}

export async function getPage(
  services: Services,
  caller: Actor,
  place: ProjectOrGroup,
  { slug, version, render_html }: { readonly slug: string; readonly version?: string; readonly render_html: boolean },
): Promise<WikiPageEntity> {
  requireReadable(place);
  const owner = ownerColumnsOf(place);
  const file = await findPage(services, owner, slug, version);
  if (!file) throw new NotFound('Wiki Page');
  const numbers = await store.pageNumbers(services.db.read, owner, [file.slug]);
  if (!render_html) return present(file, numbers.get(file.slug), file.content);
  const [html = ''] = await renderTexts(services, caller, place, [{ text: file.content }], { wikiPage: file.slug });
  return present(file, numbers.get(file.slug), html);
}

function checkTitle(title: string): string {
  if (slugOf(title) === '') throw new Invalid({ title: ["can't be blank"] });
  const parts = slugOf(title).split('/');
  const long = parts.map((part) => lengthProblem(part, 245)).find((problem) => problem !== undefined);
  if (long !== undefined) throw new Invalid({ title: [long] });
  if (pathProblem(pathOf(slugOf(title), 'markdown'))) throw new Invalid({ title: ['is invalid'] });
  return slugOf(title);
}

async function checkContent({ settings }: Services, content: string): Promise<void> {
  const { wiki_page_max_content_bytes: most } = await settings.read();
  const size = Buffer.byteLength(content);
  if (size > most) throw new Invalid({ content: [`is too long (${size} bytes). The maximum size is ${most} bytes.`] });
}

const events = { create: 'created', update: 'updated', delete: 'destroyed' } as const;

/** Records an activity event for a changed page and announces the change. */
export async function recordPageChange(
  services: Services,
  trx: Writer,
  pageId: number,
  change: PageChange,
): Promise<void> {
  await recordEvent(trx, {
    projectId: change.owner.project_id,
    namespaceId: change.owner.namespace_id,
    authorId: change.actorId,
    action: events[change.action],
    audience: 'wiki',
    target: { type: 'WikiPage::Meta', id: pageId, title: change.title },
  });
  await services.announce(trx, 'wiki-page.changed', change);
  await enqueueMeasure(services, trx, change.owner);
}

/** Deletes the ID of a deleted page, with its notes and to-do items. */
export async function removePage(trx: Writer, owner: OwnerColumns, slug: string): Promise<void> {
  const numbers = await store.pageNumbers(trx, owner, [slug]);
  await deleteNotesOf(trx, 'WikiPage::Meta', [...numbers.values()]);
  await deleteTodosOf(trx, 'WikiPage::Meta', [...numbers.values()]);
  await store.deletePage(trx, owner, slug);
}

const headOf = (sent: { readonly title?: string | null }) => (sent.title ? { title: sent.title } : {});

/** The title of a page that is being moved: it stays in its directory unless the new title has a slash. */
function movedTitle(page: PageFile, title: string): string {
  return title.includes('/') ? title : page.slug.slice(0, page.slug.lastIndexOf('/') + 1) + title;
}

export async function createPage(
  services: Services,
  { user }: SignedInActor,
  place: ProjectOrGroup,
  { title, content: sent, format, front_matter }: NewPageParams,
): Promise<WikiPageEntity> {
  requireReadable(place);
  const owner = ownerColumnsOf(place);
  const slug = checkTitle(title);
  await checkContent(services, sent);
  if (await findPage(services, owner, slug)) throw duplicatePageError();
  const path = pathOf(slug, format);
  const { content, frontMatter } = front_matter ? { content: sent, frontMatter: headOf(front_matter) } : readPage(sent);
  const message = `${user.username} created page: ${titleOf(slug)}`;
  const version = await commitToWiki(services, owner, {
    user,
    message,
    paths: [path],
    async edit(editor, blob) {
      for (const other of formats) if (await editor.file(pathOf(slug, other))) throw duplicatePageError();
      await editor.create(path, { mode: '100644', oid: await blob(Buffer.from(writePage(content, frontMatter))) });
    },
  });
  const file = { slug, format, path, content, frontMatter };
  const number = await services.db.write(async (trx) => {
    const id = await store.ensurePage(trx, owner, slug);
    const change = { owner, actorId: user.id, slug, title: titleOf(slug), format, content, message, version };
    await recordPageChange(services, trx, id, { action: 'create', ...change });
    return id;
  });
  return present(file, number, content);
}

/** Content without front matter, which is what reading a page returns, leaves that of the page as it is. */
function changedText(before: PageFile, { content, front_matter }: PageChangeParams): PageText {
  if (front_matter !== undefined || content === undefined) {
    return {
      content: content ?? before.content,
      frontMatter: front_matter ? headOf(front_matter) : before.frontMatter,
    };
  }
  const sent = readPage(content);
  return Object.keys(sent.frontMatter).length === 0 ? { content, frontMatter: before.frontMatter } : sent;
}

export async function updatePage(
  services: Services,
  { user }: SignedInActor,
  place: ProjectOrGroup,
  wanted: string,
  change: PageChangeParams,
): Promise<WikiPageEntity> {
  requireReadable(place);
  const owner = ownerColumnsOf(place);
  const before = await findPage(services, owner, wanted);
  if (!before) throw new NotFound('Wiki Page');
  const slug = change.title === undefined ? before.slug : checkTitle(movedTitle(before, change.title));
  const format: Format = change.format ?? before.format;
  await checkContent(services, change.content ?? before.content);
  if (before.isTooLarge && change.front_matter !== undefined && change.content === undefined) {
    throw new Invalid({ front_matter: ['cannot be changed, because the page is too large to be read'] });
  }
  if (slug !== before.slug && (await findPage(services, owner, slug))) throw duplicatePageError();
  const { content, frontMatter } = changedText(before, change);
  const path = slug === before.slug && format === before.format ? before.path : pathOf(slug, format);
  const message = `${user.username} changed page: ${titleOf(slug)}`;
  const version = await commitToWiki(services, owner, {
    user,
    message,
    paths: [path],
    async edit(editor, blob) {
      const file = await editor.file(before.path);
      if (file?.oid !== before.oid) throw wikiChangedError();
      await editor.remove(before.path);
      // Only moved, a page keeps its bytes, whatever their encoding and size.
      const isMoved = change.content === undefined && change.front_matter === undefined;
      const oid = isMoved ? file.oid : await blob(Buffer.from(writePage(content, frontMatter)));
      await editor.create(path, { mode: '100644', oid });
    },
  });
  const number = await services.db.write(async (trx) => {
    const id = await store.ensurePage(trx, owner, before.slug);
    if (slug !== before.slug) {
      await removePage(trx, owner, slug);
      await store.renamePage(trx, id, slug);
    }
    const pageState = { owner, actorId: user.id, slug, title: titleOf(slug), format, content, message, version };
    await recordPageChange(services, trx, id, { action: 'update', ...pageState });
    return id;
  });
  return present({ slug, format, path, content, frontMatter }, number, content);
}

export async function deletePage(
  services: Services,
  { user }: SignedInActor,
  place: ProjectOrGroup,
  wanted: string,
): Promise<void> {
  requireReadable(place);
  const owner = ownerColumnsOf(place);
  const page = await findPage(services, owner, wanted);
  if (!page) throw new NotFound('Wiki Page');
  const { slug, format, path, content } = page;
  const message = `${user.username} deleted page: ${titleOf(slug)}`;
  const version = await commitToWiki(services, owner, {
    user,
    message,
    paths: [],
    edit: async (editor) => {
      if (!(await editor.file(path))) throw new NotFound('Wiki Page');
      await editor.remove(path);
    },
  });
  await services.db.write(async (trx) => {
    const id = await store.ensurePage(trx, owner, slug);
    const pageState = { owner, actorId: user.id, slug, title: titleOf(slug), format, content, message, version };
    await recordPageChange(services, trx, id, { action: 'delete', ...pageState });
    await removePage(trx, owner, slug);
  });
}

const mebibyte = 1024 * 1024;

/** Stores a file in the wiki repository, for pages to show or link to. */
export async function attachFile(
  services: Services,
  { user }: SignedInActor,
  place: ProjectOrGroup,
  file: UploadedFile | '',
): Promise<WikiAttachmentEntity> {
  requireReadable(place);
  if (file === '') throw new ParameterError('file is invalid');
  const { max_attachment_size } = await services.settings.read();
  // The file is committed as one object, which is held in memory while it is written.
  if (file.size > Math.min(max_attachment_size, 50) * mebibyte) throw new TooLarge();
  const name = file.filename.replace(/[^\w.-]/g, '_').replace(/^\.+/, '') || 'file';
  const path = `uploads/${randomBytes(16).toString('hex')}/${name}`;
  await commitToWiki(services, ownerColumnsOf(place), {
    user,
    message: `Upload attachment ${name}`,
    paths: [path],
    edit: async (editor, blob) => editor.create(path, { mode: '100644', oid: await blob(await buffer(file.open())) }),
  });
  await services.db.write((trx) => enqueueMeasure(services, trx, ownerColumnsOf(place)));
  const picture = /\.(png|jpe?g|gif|bmp|tiff|ico|webp|svg)$/i.test(name);
  const alt = picture ? name.replace(/\.[^.]+$/, '') : name;
  return {
    file_name: name,
    file_path: path,
    branch: wikiBranch,
    link: { url: path, markdown: `${picture ? '!' : ''}[${alt}](${path})` },
  };
}
