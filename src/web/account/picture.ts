import { alert } from '../forms/card.ts';
import type { SectionContext } from '../forms/collection.ts';
import { refusalOf } from '../frame/api.ts';
import { html } from '../frame/html.ts';
import { csrfField } from '../frame/layout.ts';
import type { Outcome, Page } from '../frame/visit.ts';
import { avatar } from '../planning/discussion.ts';
import { accountSection } from './section.ts';

const path = '/-/user_settings/picture';

/** The user's avatar. */
async function picturePage({ visit, home, show }: SectionContext, problem?: string): Promise<Outcome> {
  const user = await visit.api.get('/user');
  const form = html`<form class="card" method="post" action="${home}${path}" enctype="multipart/form-data">${csrfField(visit)}${alert(problem)}<label>New picture<span class="hint">PNG, JPEG, GIF or WebP up to 200 KB, preferably square</span><input type="file" name="file" required accept="image/png,image/jpeg,image/gif,image/webp"></label><div class="row"><button class="primary">Save</button></div></form>`;
  const body = html`<h1>Picture</h1><div class="row profile">${avatar(user)}<p class="muted">It is shown next to your name.</p></div>${form}`;
  return show({ title: 'Picture', body, ...(problem !== undefined && { status: 422 }) });
}

async function send(context: SectionContext): Promise<Outcome> {
  const { visit, home } = context;
  if (!visit.file) return picturePage(context, 'Choose a picture first.');
  const answer = await visit.api.upload('/user/avatar', visit.file, { method: 'PUT', field: 'avatar' });
  if (answer.status < 300) return { redirect: home + path, notice: 'Saved.' };
  const refusal = refusalOf(answer);
  if ([400, 413, 422].includes(answer.status)) return picturePage(context, refusal.reason || 'The file is too large.');
  throw refusal;
}

export const picturePages: readonly Page[] = [
  accountSection({ path, signedIn: true, show: (context) => picturePage(context) }),
  accountSection({ method: 'POST', path, show: send }),
];
