import { type AnyRoute, createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { readListSearch } from './health.ts'

export const catalogRoutes = (parent: AnyRoute) => [
  createRoute({
    getParentRoute: () => parent,
    path: 'services',
    validateSearch: readListSearch,
    component: lazyRouteComponent(() => import('./services-page.tsx'), 'ServicesPage'),
  }),
  createRoute({
    getParentRoute: () => parent,
    path: 'services/$name',
    component: lazyRouteComponent(() => import('./service-page.tsx'), 'ServicePage'),
  }),
  createRoute({
    getParentRoute: () => parent,
    path: 'nodes',
    validateSearch: readListSearch,
    component: lazyRouteComponent(() => import('./nodes-page.tsx'), 'NodesPage'),
  }),
  createRoute({
    getParentRoute: () => parent,
    path: 'nodes/$name',
    component: lazyRouteComponent(() => import('./node-page.tsx'), 'NodePage'),
  }),
]
