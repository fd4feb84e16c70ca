/* Mimi's decoder for one kind of numbers between its layers; `mimi.h` includes it once for each, with these defined:
   number        the kind                  TOGETHER      how many inputs one instruction takes
   weights       a vector of TOGETHER inputs of VL outputs, which GET reads; SPREAD makes one of the same inputs for all outputs
   ADD_PRODUCT   sums of products          PUT           stores the first ones of a vector of floats
   CODE          attributes of functions that need more than the library's instructions */

/* A product on its way: value = W a + bias [+ skip]; y gets it as it is, z what `after` makes of it. */
typedef struct {
    const number *a; /* (rows, in), `stride` apart */
    int64_t stride, rows;
    const pv_linear *layer;
    int after;
    const float *skip; /* (rows, out) or null */
    float *y;          /* (rows, out) or null */
    number *z;         /* (rows, out) or null */
} product;

/* A vector of results from output `first` on, the last ones of which may not exist. */
INLINE CODE void product_end(const product *p, int64_t row, int64_t first, vf v) {
    const pv_linear *l = p->layer;
    const int64_t left = l->out - first, place = row * l->out + first;
    if (l->bias) v = vadd(v, vload_some(l->bias + first, left));
    if (p->skip) v = vadd(v, vload_some(p->skip + place, left));
    if (p->y) vstore_some(p->y + place, v, left);
    if (!p->z) return;
    if (p->after == GELU) v = vgelu(v);
    if (p->after == ELU) v = vmax(vsub(vexp(vmin(vset(0), v)), vset(1.0f)), v); /* in this order for NaN, see vexp */
    PUT(p->z + place, v, left);
}

/* R rows and V vectors of outputs. */
INLINE CODE void product_tile(const product *p, int64_t row, int64_t first, const int R, const int V) {
    const int64_t in = p->layer->in;
    const number *a = p->a + row * p->stride, *w[2];
    vf sums[4][2];
#pragma GCC unroll 2
    for (int v = 0; v < V; v++) {
        const int64_t output = first + v * VL;
        w[v] = (const number *)p->layer->weight + output / LANES * LANES * in + output % LANES * TOGETHER;
#pragma GCC unroll 4
        for (int r = 0; r < R; r++) sums[r][v] = vset(0);
    }
    for (int64_t k = 0; k < in; k += TOGETHER) {
        weights ws[2];
#pragma GCC unroll 2
        for (int v = 0; v < V; v++) ws[v] = GET(w[v] + k * LANES);
#pragma GCC unroll 4
        for (int r = 0; r < R; r++) {
            const weights x = SPREAD(a + r * p->stride + k);
#pragma GCC unroll 2
            for (int v = 0; v < V; v++) sums[r][v] = ADD_PRODUCT(sums[r][v], x, ws[v]);
        }
    }
#pragma GCC unroll 4
    for (int r = 0; r < R; r++)
#pragma GCC unroll 2
        for (int v = 0; v < V; v++) product_end(p, row + r, first + v * VL, sums[r][v]);
}

static CODE void multiply(const product *p) {
    for (int64_t first = 0; first < p->layer->out; first += 2 * VL) {
        const int both = first + VL < p->layer->out;
        int64_t row = 0;
        for (; row + 4 <= p->rows; row += 4)
            if (both) product_tile(p, row, first, 4, 2);
            else product_tile(p, row, first, 4, 1);
        for (; row < p->rows; row++)
            if (both) product_tile(p, row, first, 1, 2);
            else product_tile(p, row, first, 1, 1);
    }
}

static CODE void convert(const float *x, int64_t n, number *z) {
    for (int64_t i = 0; i < n; i += VL) PUT(z + i, vload(x + i), VL);
}

/* A decoder's state and work space, in one piece of memory of the caller's. */
typedef struct {
    int64_t *begun;                 /* of each convolution: whether its past is one */
    float *last_projected;          /* (width,) */
    number *first, *last;           /* inputs of convolutions: (history + rows, channels) */
    number *up[8], *wide[8];
    float *raw;                     /* a residual block's input */
    number *middle;                 /* what lies between its convolutions */
    float *x, *normed, *heads, *attended, *scores, *projected;
    number *low;                    /* (rows, widest) */
    float *samples;                 /* where the next ones go; the caller's */
} decoder;

static int64_t lay_out_mimi(const pv_mimi *m, char *at, decoder *d) {
    const int64_t rows = FRAMES * m->steps, all = 3 * m->heads * m->head_dim;
    int64_t place = 0, raw = 0, middle = 0, widest = largest(m->width, m->heads * m->head_dim);
    for (int64_t i = 0; i < m->layers; i++) widest = largest(widest, m->layer[i].linear1.out);
    PLACE(d, begun, 2 + 2 * m->stages);
    PLACE(d, last_projected, m->width);
    PLACE(d, first, (m->first.history + rows) * m->first.channels);
    int64_t into = rows; /* rows of the next convolution's input */
    for (int64_t s = 0; s < m->stages; s++) {
        const pv_stage *g = m->stage + s;
        PLACE(d, up[s], (g->up.history + into) * g->up.channels);
        into = slice_of(s, m) * g->stride;
        PLACE(d, wide[s], (g->wide.history + into) * g->wide.channels);
        raw = largest(raw, into * g->wide.channels);
        middle = largest(middle, into * g->wide.linear.out);
    }
    PLACE(d, last, (m->last.history + into) * m->last.channels);
    PLACE(d, raw, raw);
    PLACE(d, middle, middle);
    PLACE(d, x, rows * m->width);
    PLACE(d, normed, rows * m->width);
    PLACE(d, heads, rows * largest(all, widest));
    PLACE(d, attended, rows * m->heads * m->head_dim);
    PLACE(d, scores, m->context + 16);
    PLACE(d, projected, FRAMES * m->width);
    PLACE(d, low, rows * widest);
    return place + 64;
}

/* `rows` new rows of `input`, whose past lies before them. */
static CODE void convolve(const pv_conv *c, number *input, int64_t *begun, int64_t rows, product p) {
    const int64_t past = c->history * c->channels;
    if (!*begun && c->replicate)
        for (int64_t h = 0; h < c->history; h++)
            memcpy(input + h * c->channels, input + past, sizeof(number) * (size_t)c->channels);
    *begun = 1;
    p.a = input;
    p.stride = c->channels;
    p.rows = rows;
    p.layer = &c->linear;
    multiply(&p);
    memmove(input, input + rows * c->channels, sizeof(number) * (size_t)past);
}

static number *after_past(number *input, const pv_conv *c) { return input + c->history * c->channels; }

static CODE void run_stage(const pv_mimi *m, decoder *d, int64_t s, int64_t rows) {
    const pv_stage *g = m->stage + s;
    const int is_last = s + 1 == m->stages;
    const pv_conv *next = is_last ? &m->last : &m->stage[s + 1].up;
    number *next_input = is_last ? d->last : d->up[s + 1];
    const int64_t slice = slice_of(s, m), channels = g->up.channels;
    for (int64_t start = 0; start < rows; start += slice) {
        const int64_t taken = rows - start < slice ? rows - start : slice, made = taken * g->stride;
        multiply(&(product){d->up[s] + start * channels, channels, taken, &g->up.linear, ELU, 0, d->raw, after_past(d->wide[s], &g->wide)});
        convolve(&g->wide, d->wide[s], d->begun + 2 + 2 * s, made, (product){.after = ELU, .z = d->middle});
        multiply(&(product){d->middle, g->narrow.in, made, &g->narrow, ELU, d->raw, 0, after_past(next_input, next)});
        if (!is_last) {
            run_stage(m, d, s + 1, made);
            continue;
        }
        convolve(next, next_input, d->begun + 1, made, (product){.after = AS_IT_IS, .y = d->samples});
        d->samples += made * m->last.linear.out;
    }
    memmove(d->up[s], d->up[s] + rows * channels, sizeof(number) * (size_t)(g->up.history * channels));
}

static CODE void mimi_transformer(const pv_mimi *m, decoder *d, const pv_cache *cache, int64_t index, int64_t position, int64_t rows) {
    const int64_t part = m->heads * cache->capacity * m->head_dim, width = m->width, attended = m->heads * m->head_dim;
    for (int64_t i = 0; i < m->layers; i++) {
        const pv_layer *l = m->layer + i;
        for (int64_t n = 0; n < rows; n++) normalized(d->x + n * width, width, &l->norm1, 1e-5f, d->normed + n * width);
        convert(d->normed, rows * width, d->low);
        multiply(&(product){d->low, width, rows, &l->in_proj, AS_IT_IS, 0, d->heads, 0});
        float *keys = cache->keys_values + 2 * i * part;
        attention a = {m->heads, m->heads, m->head_dim, position, index, m->context, rows, 0, cache, keys, keys + part, d->heads, d->scores, 0, d->attended};
        for (int64_t head = 0; head < m->heads; head++) attention_chunk(&a, head);
        convert(d->attended, rows * attended, d->low);
        multiply(&(product){d->low, attended, rows, &l->out_proj, AS_IT_IS, d->x, d->x, 0});
        for (int64_t n = 0; n < rows; n++) normalized(d->x + n * width, width, &l->norm2, 1e-5f, d->normed + n * width);
        convert(d->normed, rows * width, d->low);
        number *hidden = (number *)d->heads;
        multiply(&(product){d->low, width, rows, &l->linear1, GELU, 0, 0, hidden});
        multiply(&(product){hidden, l->linear1.out, rows, &l->linear2, AS_IT_IS, d->x, d->x, 0});
    }
}

/* Up to FRAMES `latents` (frames, numbers) -> `samples`. `position` counts rows since the beginning, `index` is the place of the
   first in the cache; `fresh` begins a new sound, else `space` is as the last call left it. */
static CODE void decode(const pv_mimi *m, const pv_cache *cache, void *space, int64_t index, int64_t position, int fresh, const float *latents, int64_t frames, float *samples) {
    decoder d;
    char *at = (char *)(((uintptr_t)space + 63) / 64 * 64);
    const int64_t size = lay_out_mimi(m, at, &d), width = m->width, rows = frames * m->steps;
    if (fresh) memset(at, 0, (size_t)size - 64);
    d.samples = samples;
    for (int64_t f = 0; f < frames; f++) { /* one by one: several rows at once are summed in another order */
        job j = {&m->project, latents + f * m->project.in, 1, d.projected + f * width, STORE, 0, 0, 0, 0};
        for (int64_t chunk = 0; chunk * LANES < m->project.out; chunk++) float32_chunk(&j, chunk);
    }
    for (int64_t f = 0; f < frames; f++) {
        const float *x = d.projected + f * width, *last = f ? x - width : d.last_projected;
        for (int64_t s = 0; s < m->steps; s++)
            for (int64_t i = 0; i < width; i += VL)
                vstore(d.x + (f * m->steps + s) * width + i,
                       vfma(vload(last + i), vload(m->before + s * width + i), vmul(vload(x + i), vload(m->now + s * width + i))));
    }
    memcpy(d.last_projected, d.projected + (frames - 1) * width, sizeof(float) * (size_t)width);
    mimi_transformer(m, &d, cache, index, position, rows);
    convert(d.x, rows * width, after_past(d.first, &m->first));
    convolve(&m->first, d.first, d.begun, rows, (product){.after = ELU, .z = after_past(d.up[0], &m->stage[0].up)});
    run_stage(m, &d, 0, rows);
}

