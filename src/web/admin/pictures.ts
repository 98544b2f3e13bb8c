import { alert } from '../forms/card.ts';
import type { SectionContext } from '../forms/collection.ts';
import { drawField, type Field } from '../forms/fields.ts';
import { refusalOf } from '../frame/api.ts';
import { listOr } from '../frame/format.ts';
import { html } from '../frame/html.ts';
import { csrfField } from '../frame/layout.ts';
import type { Outcome, Page } from '../frame/visit.ts';
import { pageNotFound } from '../namespaces/project.ts';
import { actionButton } from '../planning/discussion.ts';
import { adminSection } from './section.ts';

const path = '/admin/appearance/pictures';
const api = '/application/appearance';

const pictures: readonly (readonly [name: string, text: string])[] = [
  ['header_logo', 'Above every page'],
  ['logo', 'On the sign-in page'],
  ['favicon', 'Favicon'],
  ['pwa_icon', 'App icon'],
];

const which: Field = { name: 'picture', label: 'Where', kind: 'select', options: pictures };

/** The images of the instance's appearance, such as its logo. */
async function picturesPage({ visit, home, show }: SectionContext, problem?: string): Promise<Outcome> {
  const look = await visit.api.get(api);
  const there = pictures.filter(([name]) => look[name] !== null);
  const item = ([name, text]: (typeof pictures)[number]) =>
    html`<li class="row"><img src="${look[name]}" alt="" height="32"><span class="main">${text}</span><span class="end">${actionButton(visit, `${home}${path}/remove`, 'Remove', { picture: name })}</span></li>`;
  const form = html`<form class="card" method="post" action="${home}${path}" enctype="multipart/form-data">${csrfField(visit)}${alert(problem)}<h2>New picture</h2>${drawField(which, visit.form.get('picture'))}<label>Picture<input type="file" name="file" required accept="image/*"></label><div class="row"><button class="primary">Upload picture</button></div></form>`;
  const body = html`<h1>Pictures</h1>${listOr(there, item, 'No picture: the default is shown.')}${form}<p><a href="${home}/admin/appearance">Appearance</a></p>`;
  return show({ title: 'Pictures', body, ...(problem !== undefined && { status: 422 }) });
}

/** Returns the image that the form names. */
function named({ visit }: SectionContext): string {
  const sent = visit.form.get('picture');
  const found = pictures.find(([name]) => name === sent);
  if (!found) throw pageNotFound();
  return found[0];
}

async function send(context: SectionContext): Promise<Outcome> {
  const { visit, home } = context;
  const field = named(context);
  if (!visit.file) return picturesPage(context, 'Choose a picture first.');
  const answer = await visit.api.upload(api, visit.file, { method: 'PUT', field });
  if (answer.status < 300) return { redirect: home + path };
  const refusal = refusalOf(answer);
  if ([400, 413, 422].includes(answer.status)) return picturesPage(context, refusal.reason || 'The file is too large.');
  throw refusal;
}

async function remove(context: SectionContext): Promise<Outcome> {
  await context.visit.api.send('PUT', api, { [named(context)]: null });
  return { redirect: context.home + path };
}

export const picturePages: readonly Page[] = [
  adminSection({ path, signedIn: true, show: (context) => picturesPage(context) }),
  adminSection({ method: 'POST', path, show: send }),
  adminSection({ method: 'POST', path: `${path}/remove`, show: remove }),
];
