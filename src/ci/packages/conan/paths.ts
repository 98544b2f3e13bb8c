import { isFileName } from '../rules.ts';

/** A Conan recipe reference: `name/version@username/channel`. */
export interface Recipe {
  readonly name: string;
  readonly version: string;
  /** `_` if the recipe has no user, as for the channel. */
  readonly username: string;
  readonly channel: string;
}

/** Location of files: a revision of a recipe, or of a binary package built from it. */
export interface FileLocation {
  readonly recipe_revision: string;
  /** Empty for the recipe itself, as is the package revision. */
  readonly package_reference: string;
  readonly package_revision: string;
}

/** A parsed request for a part of a recipe or of one of its packages. */
export interface ConanRequest extends Recipe {
  readonly what:
    | 'snapshot'
    | 'urls'
    | 'upload_urls'
    | 'search'
    | 'latest'
    | 'revisions'
    | 'revision'
    | 'packages'
    | 'files'
    | 'file';
  readonly recipe_revision?: string | undefined;
  readonly package_reference?: string | undefined;
  readonly package_revision?: string | undefined;
  readonly file_name?: string;
}

/** Revision of content uploaded without revisions. */
export const noRevision = '0';

const word = /^[A-Za-z0-9_][\w+.-]*$/;
const isWord = (text: string) => text.length <= 255 && word.test(text) && !text.includes('..');
const isRevision = (text: string) => /^(?:0|[0-9a-f]{32,64})$/.test(text);
const isReference = (text: string) => text.length <= 128 && /^[A-Za-z0-9]+$/.test(text);

function recipeOf(parts: readonly string[]): Recipe | undefined {
  const [name = '', version = '', username = '', channel = ''] = parts;
  return [name, version, username, channel].every(isWord) ? { name, version, username, channel } : undefined;
}

export const referenceOf = ({ name, version, username, channel }: Recipe) =>
  `${name}/${version}@${username}/${channel}`;

type Rest = Omit<ConanRequest, keyof Recipe>;

function parseRequest(path: string, read: (rest: readonly string[]) => Rest | undefined): ConanRequest | undefined {
  const parts = path.split('/');
  const recipe = recipeOf(parts);
  const rest = recipe && read(parts.slice(4));
  if (!recipe || !rest) return undefined;
  const {
    recipe_revision = noRevision,
    package_reference = 'x',
    package_revision = noRevision,
    file_name = 'x',
  } = rest;
  const isSound =
    isRevision(recipe_revision) &&
    isReference(package_reference) &&
    isRevision(package_revision) &&
    isFileName(file_name);
  return isSound ? { ...recipe, ...rest } : undefined;
}

const listings: Readonly<Record<string, Rest['what']>> = {
  digest: 'urls',
  download_urls: 'urls',
  upload_urls: 'upload_urls',
};

/** Parses the path after `v1/conans/`. */
export function parseV1Path(path: string): ConanRequest | undefined {
  return parseRequest(path, ([first, ...rest]) => {
    if (first === 'packages') {
      const [package_reference = '', listing, ...more] = rest;
      const what = listing === undefined ? 'snapshot' : Object.hasOwn(listings, listing) && listings[listing];
      return what && more.length === 0 ? { what, package_reference } : undefined;
    }
    if (rest.length > 0) return undefined;
    if (first === undefined) return { what: 'snapshot' };
    if (first === 'search') return { what: 'search' };
    const what = Object.hasOwn(listings, first) ? listings[first] : undefined;
    return what && { what };
  });
}

/** Parses the path after `v1/files/`. */
export function parseV1FilePath(path: string): ConanRequest | undefined {
  return parseRequest(path, ([recipe_revision = '', kind, ...rest]) => {
    if (kind === 'export') return { what: 'file', recipe_revision, file_name: rest.join('/') };
    if (kind !== 'package') return undefined;
    const [package_reference = '', package_revision = '', ...file] = rest;
    return { what: 'file', recipe_revision, package_reference, package_revision, file_name: file.join('/') };
  });
}

/** Parses the path after `v2/conans/`. */
export function parseV2Path(path: string): ConanRequest | undefined {
  return parseRequest(path, ([first, recipe_revision, ...rest]) => {
    if (recipe_revision === undefined) {
      return first === 'latest' || first === 'revisions' || first === 'search' ? { what: first } : undefined;
    }
    if (first !== 'revisions') return undefined;
    const [kind, package_reference, listing, package_revision, ...more] = rest;
    if (kind === 'search' && rest.length === 1) return { what: 'search', recipe_revision };
    if (kind !== 'packages') return inRevision({ recipe_revision }, rest);
    if (package_reference === undefined) return { what: 'packages', recipe_revision };
    if (package_revision !== undefined) {
      const place = { recipe_revision, package_reference, package_revision };
      return listing === 'revisions' ? inRevision(place, more) : undefined;
    }
    if (listing !== 'latest' && listing !== 'revisions') return undefined;
    return { what: listing, recipe_revision, package_reference };
  });
}

function inRevision(
  place: Pick<FileLocation, 'recipe_revision'> | FileLocation,
  [kind, ...file]: readonly string[],
): Rest | undefined {
  if (kind === undefined) return { what: 'revision', ...place };
  if (kind !== 'files') return undefined;
  return file.length === 0 ? { what: 'files', ...place } : { what: 'file', ...place, file_name: file.join('/') };
}

/** The complete location of a request. */
export function locationOf({
  recipe_revision,
  package_reference = '',
  package_revision = '',
}: ConanRequest): FileLocation {
  return { recipe_revision: recipe_revision ?? noRevision, package_reference, package_revision };
}
