import { type AnyRoute, createRoute, lazyRouteComponent } from '@tanstack/react-router'

export const homeRoutes = (parent: AnyRoute) => [
  createRoute({
    getParentRoute: () => parent,
    path: '/',
    component: lazyRouteComponent(() => import('./home-page.tsx'), 'HomePage'),
  }),
]
