import { writeFile } from 'node:fs/promises';
import { generatedPages } from './generated-pages.ts';

for (const page of generatedPages()) {
  await writeFile(page.path, page.text);
  console.log(page.path);
}
