import Type from 'typebox';
import type { Reader, Writer } from '../platform/database/database.ts';
import { statement } from '../platform/database/statement.ts';
import { storedJson } from '../platform/stored-json.ts';

/** The default appearance. */
const defaults = {
  title: '',
  description: '',
  pwa_name: '',
  pwa_short_name: '',
  pwa_description: '',
  member_guidelines: '',
  new_project_guidelines: '',
  profile_image_guidelines: '',
  header_message: '',
  footer_message: '',
  message_background_color: '#E75E40',
  message_font_color: '#FFFFFF',
};

export type AppearanceText = keyof typeof defaults;
export const appearanceTexts = Object.keys(defaults) as AppearanceText[];

/** The images of the appearance, each stored like avatars: `<random>/<file name>`. */
export const appearancePictures = ['logo', 'header_logo', 'favicon', 'pwa_icon'] as const;
export type AppearancePicture = (typeof appearancePictures)[number];

/** How the instance presents itself on pages and in emails. */
export type Appearance = Readonly<Record<AppearanceText, string> & Record<AppearancePicture, string | null>> & {
  readonly email_header_and_footer_enabled: boolean;
};

const readStored = storedJson(Type.Record(Type.String(), Type.Union([Type.String(), Type.Boolean(), Type.Null()])));

const noPictures = { logo: null, header_logo: null, favicon: null, pwa_icon: null };

const parseStored = (text: string): Appearance => ({
  ...defaults,
  ...noPictures,
  email_header_and_footer_enabled: false,
  ...readStored(text),
});

/** The file name of an image, if there is one. */
export const pictureName = (appearance: Appearance, picture: AppearancePicture): string | null =>
  appearance[picture]?.split('/').at(-1) ?? null;

/** The path of an image, relative to the server URL. */
export function picturePath(appearance: Appearance, picture: AppearancePicture): string | null {
  const name = pictureName(appearance, picture);
  return name === null ? null : `/uploads/-/system/appearance/${picture}/1/${name}`;
}

const row = statement((db) => db.selectFrom('application_settings').select('appearance').where('id', '=', 1), {
  cached: true,
});

export async function readAppearance(db: Reader): Promise<Appearance> {
  return parseStored((await row.first(db, {}))?.appearance ?? '{}');
}

/** Changes the given fields. A concurrent change waits, and then sees the first one. */
export async function changeAppearance(
  trx: Writer,
  sent: Partial<Appearance>,
): Promise<{ before: Appearance; after: Appearance }> {
  const locked = await trx
    .updateTable('application_settings')
    .set({ updated_at: Date.now() })
    .where('id', '=', 1)
    .returning('appearance')
    .executeTakeFirstOrThrow();
  const before = parseStored(locked.appearance);
  const after = { ...before, ...sent };
  await trx
    .updateTable('application_settings')
    .set({ appearance: JSON.stringify(after) })
    .where('id', '=', 1)
    .execute();
  return { before, after };
}
