/** Where the files of the pages are. */
export const LINKS = {
  style: '/docs/docs.css',
  script: '/docs/docs.js',
  icon: '/docs/icon.svg',
  document: '/v1/openapi.json',
} as const
