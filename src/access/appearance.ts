import Type from 'typebox';
import type { Reader, Writer } from '../platform/database/database.ts';
import { statement } from '../platform/database/statement.ts';
import { storedJson } from '../platform/stored-json.ts';

/** What the instance says of itself until somebody writes it. */
const usual = {
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

export type AppearanceText = keyof typeof usual;
export const appearanceTexts = Object.keys(usual) as AppearanceText[];

/** How the instance presents itself on pages and in letters. */
export type Appearance = Readonly<Record<AppearanceText, string>> & {
  readonly email_header_and_footer_enabled: boolean;
};

const readStored = storedJson(Type.Record(Type.String(), Type.Union([Type.String(), Type.Boolean()])));

const kept = (text: string): Appearance => ({ ...usual, email_header_and_footer_enabled: false, ...readStored(text) });

const row = statement((db) => db.selectFrom('application_settings').select('appearance').where('id', '=', 1), {
  cached: true,
});

export async function readAppearance(db: Reader): Promise<Appearance> {
  return kept((await row.first(db, {}))?.appearance ?? '{}');
}

/** Changes what is sent. Of two changes at once the second waits, and sees the first. */
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
  const before = kept(locked.appearance);
  const after = { ...before, ...sent };
  await trx
    .updateTable('application_settings')
    .set({ appearance: JSON.stringify(after) })
    .where('id', '=', 1)
    .execute();
  return { before, after };
}
