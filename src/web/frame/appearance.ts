import { type AppearancePicture, picturePath, readAppearance } from '../../access/appearance.ts';
import { termsInForce } from '../../access/credentials/terms-enforcement.ts';
import { broadcasts, broadcastsOf, type Shown } from './broadcasts.ts';
import { type Html, html } from './html.ts';
import type { Page, PageAppearance, Visit } from './visit.ts';

export async function pageAppearance(visit: Shown): Promise<PageAppearance> {
  const { db, settings } = visit.services;
  const present = await settings.read();
  const { maintenance_mode, maintenance_mode_message: ownMessage } = present;
  const maintenance = ownMessage?.trim() || 'This instance is in maintenance mode: it is read-only at the moment.';
  return {
    appearance: await readAppearance(db.read),
    broadcasts: await broadcastsOf(visit),
    ...(maintenance_mode && { maintenance }),
    hasTerms: termsInForce(present) !== undefined,
  };
}

const message = (text: string): Html | false => text.trim() !== '' && html`<p class="instance-message">${text}</p>`;

/** Messages above every page: maintenance, header message and banners. */
export function headerMessages(visit: Visit): Html {
  const { appearance, maintenance } = visit.look;
  return html`${message(appearance.header_message)}${maintenance !== undefined && html`<p class="notice calm" role="status">${maintenance}</p>`}${broadcasts(visit, 'banner')}`;
}

export const footerMessages = (visit: Visit): Html =>
  html`${message(visit.look.appearance.footer_message)}${broadcasts(visit, 'notification')}`;

/** Links the stylesheet with the colours of the header and footer message, because inline styles are forbidden. */
export function messageColours({ base, look }: Visit): Html | false {
  const { header_message, footer_message } = look.appearance;
  return (
    `${header_message}${footer_message}`.trim() !== '' && html`<link rel="stylesheet" href="${base}/-/appearance.css">`
  );
}

/** URL of an image of the instance's appearance, if set. */
export function pictureAddress({ base, look }: Visit, picture: AppearancePicture): string | undefined {
  const path = picturePath(look.appearance, picture);
  return path === null ? undefined : `${base}${path}`;
}

/** Name of the instance. */
export const instanceName = ({ look }: Visit): string => look.appearance.title.trim() || 'Hearth';

export const lookPages: readonly Page[] = [
  {
    path: '/-/appearance.css',
    show: ({ look }) => {
      const { message_background_color: back, message_font_color: front } = look.appearance;
      const content = `.instance-message { margin: 0; padding: 0.25rem 1rem; text-align: center; white-space: pre-wrap; background: ${back}; color: ${front}; }\n`;
      return { content, type: 'text/css; charset=utf-8' };
    },
  },
  {
    path: '/-/manifest.json',
    show: (visit) => {
      const { pwa_name, pwa_short_name, pwa_description } = visit.look.appearance;
      const icon = pictureAddress(visit, 'pwa_icon');
      const content = JSON.stringify({
        name: pwa_name || instanceName(visit),
        short_name: pwa_short_name || instanceName(visit),
        description: pwa_description,
        start_url: `${visit.base}/`,
        scope: `${visit.base}/`,
        display: 'browser',
        ...(icon !== undefined && { icons: [{ src: icon, type: 'image/png', sizes: 'any' }] }),
      });
      return { content, type: 'application/manifest+json' };
    },
  },
];
