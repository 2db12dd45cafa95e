import { defineConfig } from 'prisma/config'

/** Only `prisma generate` reads this; the server itself applies the migrations (see `src/database/schema/migrate.ts`). */
export default defineConfig({ schema: 'prisma/schema.prisma', migrations: { path: 'prisma/migrations' } })
