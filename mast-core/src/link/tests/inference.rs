//! Types nobody wrote: results, callbacks, destructuring.

use super::check;

#[test]
fn declared_and_inferred_results() {
    check(
        "
//- lib.ts
export class Store { put() {} }
export function declared(): Store { return null! }
export function inferred() { return new Store() } //: Store new_expression
export const arrow = () => new Store() //: Store new_expression
export async function later() { return new Store() } //: Store new_expression
export function* many() { yield new Store() } //: Store new_expression
export function maybe(flag: boolean) { if (flag) return null; return new Store() } //: Store new_expression
export function mixed(flag: boolean) { if (flag) return 1; return new Store() } //: Store new_expression
export const wrap = { store: new Store(), make() { return new Store() } } //: Store new_expression, Store new_expression
//- use.ts
import { declared, inferred, arrow, later, many, maybe, mixed, wrap } from './lib'
declared().put() //: lib.ts#Store.put return_type, lib.ts#declared import
inferred().put() //: lib.ts#Store.put return_type, lib.ts#inferred import
const a = arrow() //: lib.ts#arrow import
a.put() //: lib.ts#Store.put return_type
async function f() {
  ;(await later()).put() //: lib.ts#Store.put return_type, lib.ts#later import
  const s = await later() //: lib.ts#later import
  s.put() //: lib.ts#Store.put return_type
  later().then(s => s.put()) //: lib.ts#later import, lib.ts#Store.put parameter_type
  later().put() //: lib.ts#later import
}
for (const s of many()) s.put() //: lib.ts#many import, lib.ts#Store.put parameter_type
maybe(true)?.put() //: lib.ts#Store.put return_type, lib.ts#maybe import
mixed(true).put() //: lib.ts#mixed import
wrap.store.put() //: lib.ts#Store.put field_type
wrap.make().put() //: lib.ts#Store.put return_type, lib.ts#wrap.make object_literal
const { store, make } = wrap
store.put() //: lib.ts#Store.put parameter_type
make() //: make same_file, lib.ts#wrap.make alias
",
    );
}

#[test]
fn callbacks_of_the_library() {
    check(
        "
//- a.ts
class Job { run() {} id = '' }
export function arrays(jobs: Job[]) {
  jobs.forEach(job => job.run()) //: Job.run parameter_type
  jobs.map(job => job).filter(job => job.id).find(job => job.id)!.run() //: Job.run return_type
  jobs.map((job, at, all) => all[at].run()) //: Job.run field_type
  jobs.reduce((last, job) => { job.run(); return last }, 0) //: Job.run parameter_type
  jobs.slice(1).sort((a, b) => (a.run(), 0)) //: Job.run parameter_type
  jobs.flatMap(job => [job])[0].run() //: Job.run field_type
  const [first, ...rest] = jobs
  first.run() //: Job.run parameter_type
  rest.forEach(({ id }) => id.run())
  rest.pop()!.run() //: Job.run return_type
  jobs.run()
}
export function maps(byId: Map<string, Job>, set: Set<Job>) {
  byId.forEach((job, id) => job.run()) //: Job.run parameter_type
  for (const [id, job] of byId) job.run() //: Job.run parameter_type
  for (const job of byId.values()) job.run() //: Job.run parameter_type
  ;[...set].forEach(job => job.run())
  set.forEach(job => job.run()) //: Job.run parameter_type
  Array.from(set).pop()!.run() //: Job.run return_type
  new Map<string, Job>().get('x')!.run() //: Job.run return_type
  Object.values({} as Record<string, Job>)[0].run() //: Job.run field_type
}
export async function promises(p: Promise<Job>) {
  p.then(job => job.run()).catch(e => e.run()) //: Job.run parameter_type
  const [a, b] = await Promise.all([p, p])
  a.run() //: Job.run parameter_type
}
",
    );
}

#[test]
fn callbacks_of_declared_functions() {
    check(
        "
//- lib.ts
export class Context { text(s: string) {} }
export type Handler = (c: Context, next: () => void) => void
export interface Options { onDone?: (c: Context) => void; nested: { each(c: Context): void } }
export function use(h: Handler) {}
export function each<T>(items: T[], f: (item: T) => void) {}
export function configure(options: Options) {}
export class App { get(path: string, ...handlers: Handler[]) { return this } }
export const on: { (name: 'a', h: Handler): void; (name: 'b', h: Handler): void } = null!
//- use.ts
import { use, each, configure, App, Handler, Context, on } from './lib'
use(c => c.text('')) //: lib.ts#use import, lib.ts#Context.text parameter_type
use((c, next) => { next(); c.text('') }) //: lib.ts#use import, lib.ts#Context.text parameter_type
each([new Context()], item => item.text('')) //: lib.ts#each import, lib.ts#Context new_expression, lib.ts#Context.text parameter_type
configure({ onDone: c => c.text(''), nested: { each(c) { c.text('') } } }) //: lib.ts#configure import, lib.ts#Context.text parameter_type, lib.ts#Context.text parameter_type
new App().get('/', c => c.text('')) //: lib.ts#App.get new_expression, lib.ts#App new_expression, lib.ts#Context.text parameter_type
export const stored: Handler = c => c.text('') //: lib.ts#Context.text parameter_type
export const made = (): Handler => c => c.text('') //: lib.ts#Context.text parameter_type
on('a', c => c.text('')) //: lib.ts#on import, lib.ts#Context.text parameter_type
unknown(c => c.text(''))
use((c: any) => c.text('')) //: lib.ts#use import
",
    );
}

#[test]
fn generic_inference_takes_what_arguments_tell() {
    check(
        "
//- a.ts
class Item { use() {} }
class Sub extends Item { use() {} }
function id<T>(x: T): T { return x }
function first<T>(xs: T[]): T { return xs[0] }
function make<T extends Item>(C: new () => T): T { return new C() }
function call<T>(f: () => T): T { return f() }
function later<T>(f: () => Promise<T>): Promise<T> { return f() }
function fallback<T = Item>(): T { return null! }
function unknowable<T extends Item>(key: string): T { return null! }
id(new Item()).use() //: Item.use return_type, id same_file, Item new_expression
first([new Sub()]).use() //: Sub.use return_type, first same_file, Sub new_expression
make(Sub).use() //: Sub.use return_type, make same_file
call(() => new Item()).use() //: Item.use return_type, call same_file, Item new_expression
later(async () => new Sub()).then(s => s.use()) //: later same_file, Sub new_expression, Sub.use parameter_type
fallback().use() //: Item.use return_type, fallback same_file
id<Item>(null!).use() //: Item.use return_type, id same_file
unknowable('x').use() //: unknowable same_file
id(unknown()).use() //: id same_file
",
    );
}

#[test]
fn operators_before_type_arguments() {
    check(
        "
//- a.ts
class Item { use() {} }
async function load<T>(x: number): Promise<T> { return null! }
function is<T>(x: number) { return true }
export async function f() {
  const item = await load<Item>(1) //: load same_file
  item.use() //: Item.use return_type
  if (!is<string>(1)) return //: is same_file
  return 1 + is<number>(2) //: is same_file
}
",
    );
}

#[test]
fn overloads_are_chosen_as_the_compiler_does() {
    check(
        "
//- a.ts
class Text { trim() {} }
class Count { add() {} }
function make(): Text
function make(n: number): Count
function make(s: string, ...more: [Text, Text?]): Text
function make(...all: any[]): any {}
make().trim() //: make same_file, Text.trim return_type
make(1).add() //: make same_file, Count.add return_type
make('a', new Text()).trim() //: make same_file, Text new_expression, Text.trim return_type
make('a').trim() //: make same_file
make(unknown()).add() //: make same_file, Count.add return_type
type Handler = (c: Text) => void
interface Route { (handler: Handler): Count; (path: string, handler: Handler): Count; (path: string, ...handlers: [Handler, ...Handler[]]): Count }
declare const route: Route
route('/', c => c.trim()).add() //: route same_file, Text.trim parameter_type, Count.add return_type
route(c => c.trim()) //: route same_file, Text.trim parameter_type
route('/', c => c.trim(), c => c.trim()) //: route same_file, Text.trim parameter_type, Text.trim parameter_type
",
    );
}

#[test]
fn the_surroundings_tell_type_parameters() {
    check(
        "
//- a.ts
class Item { use() {} }
interface Maker<T> { make(): T }
function maker<T>(f: (t: T) => void): Maker<T> { return null! }
const kept: Maker<Item> = maker(t => t.use()) //: maker same_file, Item.use parameter_type
export function given(): Maker<Item> { return maker(t => t.use()) } //: maker same_file, Item.use parameter_type
function bounded<T extends Item>(f: (t: T) => void) {}
bounded(t => t.use()) //: bounded same_file, Item.use parameter_type
",
    );
}

#[test]
fn mapped_and_conditional_types() {
    check(
        "
//- a.ts
interface Api { load(): void; name: string }
type Simple<T> = { [K in keyof T]: T[K] } & {}
type Bound<T> = { [K in keyof T]?: T[K] extends (...args: infer A) => infer R ? (this: T, ...args: A) => R : never }
type Element<T> = T extends (infer U)[] ? U : never
export function a(s: Simple<Api>) { s.load() } //: Api.load parameter_type
export const methods: Bound<Api> = { load() { this.load() } } //: Api.load this_method
export function b(e: Element<Api[]>) { e.load() }
type Endless<T> = T extends [infer H, ...infer R] ? Endless<R> & Endless<[H]> : {}
export function c(e: Endless<[Api]>) { e.load() }
",
    );
}

#[test]
fn this_of_functions_and_fluent_results() {
    check(
        "
//- a.ts
class Query { where(): this { return this } limit() { return this } run() {} }
class Special extends Query { only() {} }
new Special().where().limit().only() //: Special.only return_type, Query.limit return_type, Query.where new_expression, Special new_expression
function bound(this: Query) { this.run() } //: Query.run this_method
const handlers: { click(this: Query): void } = { click() { this.run() } } //: Query.run this_method
const store: Query = { run() { this.where() } } as any
",
    );
}
