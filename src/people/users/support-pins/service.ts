import { randomInt } from 'node:crypto';
import type { Services } from '../../../access/services.ts';
import { NotFound } from '../../../platform/http/errors.ts';
import { instant } from '../../../platform/http/schema.ts';
import type { SupportPinEntity } from './schema.ts';
import { deletePin, findPin, writePin } from './store.ts';

const life = 7 * 86_400_000;
const digits = 6;
const purpose = 'user_support_pins.pin';

const none = () => NotFound.plain('Support PIN not found or expired');

/** Creates a PIN, replacing an earlier one. */
export async function createPin({ db, encryption }: Services, userId: number): Promise<SupportPinEntity> {
  const pin = String(randomInt(10 ** digits)).padStart(digits, '0');
  const expiresAt = Date.now() + life;
  const row = { user_id: userId, pin: encryption.encrypt(pin, purpose), expires_at: expiresAt };
  await db.write((trx) => writePin(trx, row));
  return { pin, expires_at: instant(expiresAt) };
}

export async function getPin({ db, encryption }: Services, userId: number): Promise<SupportPinEntity> {
  const found = await findPin(db.read, userId, Date.now());
  if (!found) throw none();
  return { pin: encryption.decrypt(found.pin, purpose), expires_at: instant(found.expires_at) };
}

export async function revokePin({ db }: Services, userId: number): Promise<void> {
  if (!(await db.write((trx) => deletePin(trx, userId, Date.now())))) throw none();
}
