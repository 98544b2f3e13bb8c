import Type from 'typebox';
import { Check } from 'typebox/schema';
import type { Config } from '../../config/config.ts';
import type { Database, Reader, Writer } from '../../platform/database/database.ts';
import { statement } from '../../platform/database/statement.ts';
import type { Signals } from '../../platform/signals/signals.ts';
import { storedJson } from '../../platform/stored-json.ts';
import { type ApplicationSettings, settingRules } from './list.ts';
import type { ApplicationSetting } from './setting.ts';

const row = statement((db) => db.selectFrom('application_settings').select('settings').where('id', '=', 1), {
  cached: true,
});

const readStored = storedJson(Type.Record(Type.String(), Type.Unknown()));

/** What does not fit its setting, as another release may have left it, counts as never set. */
function isStored({ schema, problem }: ApplicationSetting<unknown>, value: unknown): boolean {
  if (value === null) return 'nullable' in schema;
  return value !== undefined && Check(schema, value) && problem?.(value) === undefined;
}

// A database that does not tell of commits is asked this often: a change of another server whose signal is lost is seen that much later.
const keptFor = 5000;
const channel = 'application-settings';

/** What administrators have set for the whole instance, at hand for every request. */
export class InstanceSettings {
  readonly #db: Database;
  readonly #config: Config;
  #read: { readonly text: string; readonly values: ApplicationSettings } | undefined;
  #values: ApplicationSettings | undefined;
  #generation: object | undefined;
  #until = 0;
  #changes = 0;
  #signals: Signals | undefined;

  constructor(db: Database, config: Config) {
    this.#db = db;
    this.#config = config;
  }

  /** Hears of changes by other servers from now on, and tells them of its own. */
  follow(signals: Signals): void {
    this.#signals = signals;
    signals.on(channel, () => this.#forget());
  }

  #forget(): void {
    this.#changes += 1;
    this.#until = 0;
  }

  /** The settings without waiting, if they are known to be current: for what every request asks. */
  known(): ApplicationSettings | undefined {
    const generation = this.#db.generation();
    const current = generation === undefined ? Date.now() < this.#until : generation === this.#generation;
    return current ? this.#values : undefined;
  }

  /** The settings as they were read last, without waiting: every call of the API has them read before it is handled. */
  latest(): ApplicationSettings {
    return this.#values ?? this.#worked('{}');
  }

  async read(): Promise<ApplicationSettings> {
    return this.known() ?? (await this.#load());
  }

  /** Changes some of them; what equals its default is not kept, so that a default can change. */
  async change(
    wanted: Readonly<Record<string, unknown>>,
    told?: (trx: Writer, before: ApplicationSettings) => Promise<void>,
  ): Promise<ApplicationSettings> {
    await this.#db.write(async (trx) => {
      // Written first: of two changes at once the second waits here, and reads what the first has left.
      const { settings } = await trx
        .updateTable('application_settings')
        .set({ updated_at: Date.now() })
        .where('id', '=', 1)
        .returning('settings')
        .executeTakeFirstOrThrow();
      const kept: Record<string, unknown> = { ...readStored(settings), ...wanted };
      for (const [name, value] of Object.entries(kept)) if (this.#isDefault(name, value)) delete kept[name];
      await trx
        .updateTable('application_settings')
        .set({ settings: JSON.stringify(kept) })
        .where('id', '=', 1)
        .execute();
      await told?.(trx, this.#worked(settings));
    });
    this.#forget();
    this.#signals?.notify(channel);
    return this.#load();
  }

  #isDefault(name: string, value: unknown): boolean {
    return JSON.stringify(settingRules[name]?.fallback(this.#config)) === JSON.stringify(value);
  }

  async #load(): Promise<ApplicationSettings> {
    const [generation, changes, now] = [this.#db.generation(), this.#changes, Date.now()];
    const values = this.#worked(await textOf(this.#db.read));
    // Read before a change, it must not stand for what is there after it.
    if (changes === this.#changes) {
      this.#generation = generation;
      this.#until = now + keptFor;
      this.#values = values;
    }
    return values;
  }

  #worked(text: string): ApplicationSettings {
    if (text === this.#read?.text) return this.#read.values;
    const stored = readStored(text);
    const entries = Object.entries(settingRules).map(([name, rule]) => [
      name,
      isStored(rule, stored[name]) ? stored[name] : rule.fallback(this.#config),
    ]);
    const values = Object.freeze(Object.fromEntries(entries)) as ApplicationSettings;
    this.#read = { text, values };
    return values;
  }
}

/** One of them as it stands in the database: for decisions that have nothing else at hand. */
export async function storedSetting<N extends keyof ApplicationSettings>(
  db: Reader,
  name: N,
): Promise<ApplicationSettings[N] | undefined> {
  const value = readStored(await textOf(db))[name];
  const rule = settingRules[name];
  return rule && isStored(rule, value) ? (value as ApplicationSettings[N]) : undefined;
}

async function textOf(db: Reader): Promise<string> {
  return (await row.first(db, {}))?.settings ?? '{}';
}
