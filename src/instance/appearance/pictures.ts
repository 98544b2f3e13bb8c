import type { FastifyInstance } from 'fastify';
import { type AppearancePicture, appearancePictures, readAppearance } from '../../access/appearance.ts';
import type { Services } from '../../access/services.ts';
import {
  claimPicture,
  discardAvatar,
  isAvatarNamed,
  type PictureRule,
  sendAvatar,
  storePicture,
} from '../../people/avatars/public.ts';
import type { Writer } from '../../platform/database/database.ts';
import { UploadedFile } from '../../platform/http/bodies/upload.ts';

type Sent = Readonly<Record<string, unknown>>;

const shown: PictureRule = { formats: ['png', 'jpg', 'jpeg', 'gif', 'bmp', 'tiff', 'webp'], kibibytes: 1024 };
export const pictureRules: Readonly<Record<AppearancePicture, PictureRule>> = {
  logo: shown,
  header_logo: shown,
  favicon: { formats: ['png', 'ico'], kibibytes: 200 },
  pwa_icon: { formats: ['png'], kibibytes: 1024 },
};

/** Returns the images to change; null removes the current one. */
export function sentPictures(sent: Sent): [AppearancePicture, UploadedFile | null][] {
  return appearancePictures.flatMap((name) => {
    const images = sent[name];
    if (images === undefined) return [];
    return [[name, images instanceof UploadedFile ? images : null] as [AppearancePicture, UploadedFile | null]];
  });
}

/** Stores the files while `write` updates the row; files no longer referenced are deleted afterwards. */
export async function withPictures<T>(
  services: Services,
  images: readonly (readonly [AppearancePicture, UploadedFile | null])[],
  write: (trx: Writer, columns: Partial<Record<AppearancePicture, string | null>>) => Promise<T>,
): Promise<T> {
  const columns: Partial<Record<AppearancePicture, string | null>> = {};
  try {
    for (const [name, file] of images) columns[name] = file && (await storePicture(services, file));
    return await services.db.write(async (trx) => {
      for (const stored of Object.values(columns)) if (stored !== null) await claimPicture(services, trx, stored);
      return write(trx, columns);
    });
  } catch (error) {
    for (const stored of Object.values(columns)) await discardAvatar(services, stored);
    throw error;
  }
}

/** Serves the images, also to unauthenticated callers. */
export function servePictures(app: FastifyInstance, { db, storage }: Services): void {
  app.get<{ Params: { picture: AppearancePicture; file: string } }>(
    '/uploads/-/system/appearance/:picture(^(?:logo|header_logo|favicon|pwa_icon)$)/1/:file',
    async (request, reply) => {
      const { picture, file } = request.params;
      const stored = (await readAppearance(db.read))[picture];
      if (!isAvatarNamed(stored, file)) return reply.callNotFound();
      return reply.send(await sendAvatar(storage, reply, stored));
    },
  );
}
