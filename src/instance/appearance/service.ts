import {
  type Appearance,
  type AppearancePicture,
  type AppearanceText,
  appearancePictures,
  appearanceTexts,
  changeAppearance,
  pictureName,
  picturePath,
  readAppearance,
} from '../../access/appearance.ts';
import type { Services } from '../../access/services.ts';
import type { User } from '../../access/tables.ts';
import { discardPicture, pictureProblems } from '../../people/avatars/public.ts';
import { fault } from '../../platform/faults.ts';
import { Invalid } from '../../platform/http/errors.ts';
import { lengthProblem } from '../../platform/http/parameters/too-long.ts';
import { pictureRules, sentPictures, withPictures } from './pictures.ts';

type Sent = Readonly<Record<string, unknown>>;

const isPicture = (name: string): name is AppearancePicture => appearancePictures.some((picture) => picture === name);

/** Paths are prefixed if the server is installed under a relative URL. */
function present({ externalUrl }: Services, appearance: Appearance) {
  const base = new URL(externalUrl).pathname.replace(/\/$/, '');
  const addresses = appearancePictures.map((name) => {
    const path = picturePath(appearance, name);
    return [name, path === null ? null : `${base}${path}`] as const;
  });
  return { ...appearance, ...Object.fromEntries(addresses) };
}

export async function getAppearance(services: Services) {
  return present(services, await readAppearance(services.db.read));
}

const defaultLength = 10_000;
const lengths: Partial<Record<AppearanceText, number>> = {
  title: 255,
  pwa_name: 255,
  pwa_short_name: 255,
  pwa_description: 2048,
  member_guidelines: 4096,
};

/** Validates a text; returns the error or undefined. */
function problemOf(name: AppearanceText, text: string): string | undefined {
  if (name === 'message_background_color' || name === 'message_font_color') {
    return /^#(?:[0-9a-f]{3}){1,2}$/i.test(text) ? undefined : 'must be a valid color code';
  }
  return lengthProblem(text, lengths[name] ?? defaultLength);
}

function checked(sent: Sent): Partial<Appearance> {
  const texts = appearanceTexts.flatMap((name) => {
    const text = sent[name];
    return typeof text === 'string' ? [[name, text] as const] : [];
  });
  const problems: (readonly [string, readonly string[]])[] = texts.flatMap(([name, text]) => {
    const problem = problemOf(name, text);
    return problem === undefined ? [] : [[name, [problem]] as const];
  });
  for (const [name, file] of sentPictures(sent)) {
    const wrong = file ? pictureProblems(file, pictureRules[name]) : [];
    if (wrong.length > 0) problems.push([name, wrong]);
  }
  if (problems.length > 0) throw new Invalid(Object.fromEntries(problems));
  const { email_header_and_footer_enabled: inEmails } = sent;
  return {
    ...Object.fromEntries(texts),
    ...(typeof inEmails === 'boolean' && { email_header_and_footer_enabled: inEmails }),
  };
}

/** Returns the changes for the event; images are represented by their file names. */
function changesOf(before: Appearance, after: Appearance) {
  const displayed = (look: Appearance, name: keyof Appearance) =>
    isPicture(name) ? pictureName(look, name) : look[name];
  const changed = (Object.keys(after) as (keyof Appearance)[]).filter((name) => before[name] !== after[name]);
  return new Map(changed.map((name) => [name, { from: displayed(before, name), to: displayed(after, name) }]));
}

export async function updateAppearance(services: Services, by: User, sent: Sent) {
  const texts = checked(sent);
  const after = await withPictures(services, sentPictures(sent), async (trx, pictures) => {
    const changed = await changeAppearance(trx, { ...texts, ...pictures });
    const changes = changesOf(changed.before, changed.after);
    if (changes.size > 0) await services.announce(trx, 'application-settings.changed', { by, changes });
    for (const name of appearancePictures) {
      if (changed.before[name] !== changed.after[name]) await discardPicture(services, trx, changed.before[name]);
    }
    return changed.after;
  });
  fault('pictures.replaced');
  return present(services, after);
}
