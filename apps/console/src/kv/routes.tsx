import { type AnyRoute, createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { readKvSearch } from './paths.ts'

export const kvRoutes = (parent: AnyRoute) => [
  createRoute({
    getParentRoute: () => parent,
    path: 'kv',
    validateSearch: readKvSearch,
    component: lazyRouteComponent(() => import('./kv-page.tsx'), 'KvPage'),
  }),
]
