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

/** Whether a stored value is valid for its setting. Others, as another release may have stored them, are ignored. */
function isStored({ schema, problem }: ApplicationSetting<unknown>, value: unknown): boolean {
  if (value === null) return 'nullable' in schema;
  return value !== undefined && Check(schema, value) && problem?.(value) === undefined;
}

// Refresh interval if the database does not report commits: a change by another server whose signal is lost takes
// effect that much later.
const refreshMs = 5000;
const channel = 'application-settings';

/** The application settings, cached for every request. */
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

  /** Subscribes to changes by other servers, and notifies them of its own. */
  follow(signals: Signals): void {
    this.#signals = signals;
    signals.on(channel, () => this.#invalidate());
  }

  #invalidate(): void {
    this.#changes += 1;
    this.#until = 0;
  }

  /** The settings without waiting, if the cache is current; for code that runs in every request. */
  known(): ApplicationSettings | undefined {
    const generation = this.#db.generation();
    const current = generation === undefined ? Date.now() < this.#until : generation === this.#generation;
    return current ? this.#values : undefined;
  }

  /** The settings as last read, without waiting: every API call reads them before it is handled. */
  latest(): ApplicationSettings {
    return this.#values ?? this.#parse('{}');
  }

  async read(): Promise<ApplicationSettings> {
    return this.known() ?? (await this.#load());
  }

  /**
   * Changes settings. Values that equal their default are not stored, so that a later release can change the default.
   */
  async change(
    changes: Readonly<Record<string, unknown>>,
    onChange?: (trx: Writer, before: ApplicationSettings) => Promise<void>,
  ): Promise<ApplicationSettings> {
    await this.#db.write(async (trx) => {
      // Update first, to lock the row: a concurrent change waits here, and then reads what this one has stored.
      const { settings } = await trx
        .updateTable('application_settings')
        .set({ updated_at: Date.now() })
        .where('id', '=', 1)
        .returning('settings')
        .executeTakeFirstOrThrow();
      const stored: Record<string, unknown> = { ...readStored(settings), ...changes };
      for (const [name, value] of Object.entries(stored)) if (this.#isDefault(name, value)) delete stored[name];
      await trx
        .updateTable('application_settings')
        .set({ settings: JSON.stringify(stored) })
        .where('id', '=', 1)
        .execute();
      await onChange?.(trx, this.#parse(settings));
    });
    this.#invalidate();
    this.#signals?.notify(channel);
    return this.#load();
  }

  #isDefault(name: string, value: unknown): boolean {
    return JSON.stringify(settingRules[name]?.fallback(this.#config)) === JSON.stringify(value);
  }

  async #load(): Promise<ApplicationSettings> {
    const [generation, changes, now] = [this.#db.generation(), this.#changes, Date.now()];
    const values = this.#parse(await textOf(this.#db.read));
    // If a setting was changed while reading, the result may be stale and must not be cached.
    if (changes === this.#changes) {
      this.#generation = generation;
      this.#until = now + refreshMs;
      this.#values = values;
    }
    return values;
  }

  #parse(text: string): ApplicationSettings {
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

/** The stored value of one setting, for code without access to `InstanceSettings`. */
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
