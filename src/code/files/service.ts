export { blameFile } from './blame.ts';
export { streamedContent, withContent } from './content.ts';
export { describeFile, type FileMetadata, type FoundFile, findFile } from './find.ts';
export { openFile } from './raw.ts';
