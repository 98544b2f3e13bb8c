import {
  type Appearance,
  type AppearanceText,
  appearanceTexts,
  changeAppearance,
  readAppearance,
} from '../../access/appearance.ts';
import type { Services } from '../../access/services.ts';
import type { User } from '../../access/tables.ts';
import { Invalid } from '../../platform/http/errors.ts';
import { tooLong } from '../../platform/http/parameters/too-long.ts';
import { pictures } from './schema.ts';

type Sent = Readonly<Record<string, unknown>>;

const noPictures = Object.fromEntries(pictures.map((name) => [name, null]));
const present = (appearance: Appearance) => ({ ...appearance, ...noPictures });

export async function getLook({ db }: Services) {
  return present(await readAppearance(db.read));
}

const usualLength = 10_000;
const lengths: Partial<Record<AppearanceText, number>> = {
  title: 255,
  pwa_name: 255,
  pwa_short_name: 255,
  pwa_description: 2048,
  member_guidelines: 4096,
};

/** What is wrong with a text, if anything. */
function problemOf(name: AppearanceText, text: string): string | undefined {
  if (name === 'message_background_color' || name === 'message_font_color') {
    return /^#(?:[0-9a-f]{3}){1,2}$/i.test(text) ? undefined : 'must be a valid color code';
  }
  return tooLong(text, lengths[name] ?? usualLength);
}

function checked(sent: Sent): Partial<Appearance> {
  const texts = appearanceTexts.flatMap((name) => {
    const text = sent[name];
    return typeof text === 'string' ? [[name, text] as const] : [];
  });
  const problems = texts.flatMap(([name, text]) => {
    const problem = problemOf(name, text);
    return problem === undefined ? [] : [[name, [problem]] as const];
  });
  if (problems.length > 0) throw new Invalid(Object.fromEntries(problems));
  const { email_header_and_footer_enabled: inLetters } = sent;
  return {
    ...Object.fromEntries(texts),
    ...(typeof inLetters === 'boolean' && { email_header_and_footer_enabled: inLetters }),
  };
}

export async function changeLook({ db, announce }: Services, by: User, sent: Sent) {
  const wanted = checked(sent);
  return db.write(async (trx) => {
    const { before, after } = await changeAppearance(trx, wanted);
    const names = Object.keys(after) as (keyof Appearance)[];
    const changes = new Map(
      names
        .map((name) => [name, { from: before[name], to: after[name] }] as const)
        .filter(([, { from, to }]) => from !== to),
    );
    if (changes.size > 0) await announce(trx, 'application-settings.changed', { by, changes });
    return present(after);
  });
}
