const word = /^[a-z0-9][a-z0-9.-]*$/i;
const maxLength = 255;

/** Whether a string is a valid codename, suite or component, which are part of URLs. */
export const isDistributionWord = (text: string) => text.length <= maxLength && word.test(text);

/** Whether a string is a valid architecture. */
export const isArchitecture = (text: string) => text.length <= maxLength && /^[a-z0-9][a-z0-9-]*$/.test(text);

/** The package of files whose own package is not known yet. */
export const incomingPackage = { package_type: 'debian', name: 'incoming', version: null } as const;

/** Whether a string is a valid name of a source or binary package. */
export const isPackageName = (text: string) => text.length <= maxLength && /^[a-z0-9][a-z0-9+.-]+$/.test(text);

/** Whether a string is a valid version: an epoch, an upstream version and a revision. */
export const isVersion = (text: string) => text.length <= maxLength && /^(?:\d+:)?\d[A-Za-z0-9.+~-]*$/.test(text);

/** Whether a string is a valid file name, which is part of URLs and of lists separated by spaces. */
export const isFileName = (text: string) => text.length <= maxLength && /^[A-Za-z0-9][A-Za-z0-9.+_~:-]*$/.test(text);

/** The kinds of files, by extension. */
const kinds = ['deb', 'udeb', 'ddeb', 'dsc', 'changes', 'buildinfo'] as const;
/** `other` are the files of a source package. */
export type FileKind = (typeof kinds)[number] | 'other';

export const kindOf = (fileName: string): FileKind => kinds.find((kind) => fileName.endsWith(`.${kind}`)) ?? 'other';

/** Whether files of a kind can be installed. */
export const isBinary = (kind: FileKind) => kind === 'deb' || kind === 'udeb' || kind === 'ddeb';

/** The folder of a source package in a pool: its first letter, or the first after `lib`. */
export const poolLetter = (source: string) => (/^lib./.test(source) ? source.slice(0, 4) : source.slice(0, 1));
