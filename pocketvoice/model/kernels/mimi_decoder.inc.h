/* Mimi's decoder for one type of numbers between its layers. `mimi.h` includes this once for each, with TYPE and TARGET defined
   (attributes of functions that need more than the library's instructions) and, with the type's name behind theirs:
   scalar                  the type in memory
   inputs, inputs_at_once  a vector of as many inputs as one instruction takes, for each of VL outputs
   load_weights            such a vector of a block's weights
   broadcast               the same inputs for all outputs
   multiply_add            VL sums and the products of both
   store_some              the first ones of VL floats */

/* A matrix product on its way: value = W x + bias [+ skip]. `y` gets it as it is, `z` what `after` makes of it. */
typedef struct {
    const TYPED(scalar) *x; /* (rows, inputs), `stride` apart: windows may overlap */
    int64_t stride, rows;
    const pv_linear *layer;
    int after;
    const float *skip; /* (rows, outputs) or null */
    float *y;          /* (rows, outputs) or null */
    TYPED(scalar) *z;  /* (rows, outputs) or null */
} TYPED(product);

/* Stores a vector of results from output `first` on, the last ones of which may not exist. */
INLINE TARGET void TYPED(finish)(const TYPED(product) *product, int64_t row, int64_t first, vf value) {
    const pv_linear *layer = product->layer;
    const int64_t left = layer->outputs - first, place = row * layer->outputs + first;
    if (layer->bias) value = vadd(value, vload_some(layer->bias + first, left));
    if (product->skip) value = vadd(value, vload_some(product->skip + place, left));
    if (product->y) vstore_some(product->y + place, value, left);
    if (!product->z) return;
    if (product->after == GELU) value = vgelu(value);
    if (product->after == ELU) value = vmax(vsub(vexp(vmin(vset(0), value)), vset(1.0f)), value); /* in this order for NaN, see vexp */
    TYPED(store_some)(product->z + place, value, left);
}

INLINE TARGET void TYPED(tile)(const TYPED(product) *product, int64_t row, int64_t first, const int rows, const int vectors) {
    const int64_t inputs = product->layer->inputs;
    const TYPED(scalar) *x = product->x + row * product->stride, *weights[2];
    vf sums[4][2];
#pragma GCC unroll 2
    for (int v = 0; v < vectors; v++) {
        const int64_t output = first + v * VL, block = output / BLOCK_OUTPUTS;
        weights[v] = (const TYPED(scalar) *)product->layer->weight + block * BLOCK_OUTPUTS * inputs + output % BLOCK_OUTPUTS * TYPED(inputs_at_once);
#pragma GCC unroll 4
        for (int r = 0; r < rows; r++) sums[r][v] = vset(0);
    }
    for (int64_t k = 0; k < inputs; k += TYPED(inputs_at_once)) {
        TYPED(inputs) of_weights[2];
#pragma GCC unroll 2
        for (int v = 0; v < vectors; v++) of_weights[v] = TYPED(load_weights)(weights[v] + k * BLOCK_OUTPUTS);
#pragma GCC unroll 4
        for (int r = 0; r < rows; r++) {
            const TYPED(inputs) of_x = TYPED(broadcast)(x + r * product->stride + k);
#pragma GCC unroll 2
            for (int v = 0; v < vectors; v++) sums[r][v] = TYPED(multiply_add)(sums[r][v], of_x, of_weights[v]);
        }
    }
#pragma GCC unroll 4
    for (int r = 0; r < rows; r++)
#pragma GCC unroll 2
        for (int v = 0; v < vectors; v++) TYPED(finish)(product, row + r, first + v * VL, sums[r][v]);
}

/* Every call of a tile has its size as constants. */
static TARGET void TYPED(multiply)(const TYPED(product) *product) {
    for (int64_t first = 0; first < product->layer->outputs; first += 2 * VL) {
        const int are_two = first + VL < product->layer->outputs;
        int64_t row = 0;
        for (; row + 4 <= product->rows; row += 4)
            if (are_two) TYPED(tile)(product, row, first, 4, 2);
            else TYPED(tile)(product, row, first, 4, 1);
        for (; row < product->rows; row++)
            if (are_two) TYPED(tile)(product, row, first, 1, 2);
            else TYPED(tile)(product, row, first, 1, 1);
    }
}

static TARGET void TYPED(convert)(const float *x, int64_t count, TYPED(scalar) *z) {
    for (int64_t i = 0; i < count; i += VL) TYPED(store_some)(z + i, vload(x + i), VL);
}

/* A decoder's state and work space, in one piece of memory of the caller's. */
typedef struct {
    int64_t *has_past;                      /* of each convolution: whether rows came before */
    float *last_latent;                     /* (d_model,), projected */
    TYPED(scalar) *first_input, *last_input; /* of convolutions: (history + rows, channels) */
    TYPED(scalar) *upsample_input[MAX_STAGES], *residual_input[MAX_STAGES];
    float *upsampled;                       /* what a residual block's result is added to */
    TYPED(scalar) *between;                 /* a residual block's convolutions */
    float *x, *normed, *projected, *attended, *scores, *latents;
    TYPED(scalar) *layer_input;             /* (rows, widest) */
    float *samples;                         /* where the next ones go; the caller's */
} TYPED(decoder);

static void TYPED(lay_out_decoder)(const pv_mimi *mimi, arena *memory, TYPED(decoder) *decoder) {
    const int64_t rows = MAX_FRAMES * mimi->steps_per_latent, attended = mimi->num_heads * mimi->head_dim;
    int64_t upsampled = 0, between = 0, widest = largest(mimi->d_model, attended);
    for (int64_t i = 0; i < mimi->num_layers; i++) widest = largest(widest, mimi->layers[i].linear1.outputs);
    TAKE(memory, decoder->has_past, 2 + 2 * mimi->num_stages);
    TAKE(memory, decoder->last_latent, mimi->d_model);
    TAKE(memory, decoder->first_input, (mimi->first_conv.history + rows) * mimi->first_conv.channels);
    int64_t next_rows = rows; /* of the next convolution's input */
    for (int64_t s = 0; s < mimi->num_stages; s++) {
        const pv_stage *stage = mimi->stages + s;
        TAKE(memory, decoder->upsample_input[s], (stage->upsample.history + next_rows) * stage->upsample.channels);
        next_rows = slice_rows(mimi, s) * stage->stride;
        TAKE(memory, decoder->residual_input[s], (stage->residual_in.history + next_rows) * stage->residual_in.channels);
        upsampled = largest(upsampled, next_rows * stage->residual_in.channels);
        between = largest(between, next_rows * stage->residual_in.linear.outputs);
    }
    TAKE(memory, decoder->last_input, (mimi->last_conv.history + next_rows) * mimi->last_conv.channels);
    TAKE(memory, decoder->upsampled, upsampled);
    TAKE(memory, decoder->between, between);
    TAKE(memory, decoder->x, rows * mimi->d_model);
    TAKE(memory, decoder->normed, rows * mimi->d_model);
    TAKE(memory, decoder->projected, rows * largest(3 * attended, widest));
    TAKE(memory, decoder->attended, rows * attended);
    TAKE(memory, decoder->scores, mimi->context + SCORES_PADDING);
    TAKE(memory, decoder->latents, MAX_FRAMES * mimi->d_model);
    TAKE(memory, decoder->layer_input, rows * widest);
}

static TYPED(scalar) *TYPED(after_past)(TYPED(scalar) *input, const pv_conv *conv) { return input + conv->history * conv->channels; }

/* A convolution over `rows` new rows of `input`, whose past lies before them; `product` says where its results go. */
static TARGET void TYPED(convolve)(const pv_conv *conv, TYPED(scalar) *input, int64_t *has_past, int64_t rows, TYPED(product) product) {
    const int64_t past = conv->history * conv->channels;
    if (!*has_past && conv->repeats_first_row)
        for (int64_t h = 0; h < conv->history; h++)
            memcpy(input + h * conv->channels, input + past, sizeof(TYPED(scalar)) * (size_t)conv->channels);
    *has_past = 1;
    product.x = input;
    product.stride = conv->channels;
    product.rows = rows;
    product.layer = &conv->linear;
    TYPED(multiply)(&product);
    memmove(input, input + rows * conv->channels, sizeof(TYPED(scalar)) * (size_t)past);
}

/* Stage `s` and all behind it over `rows` new rows, a slice at a time: upsampling, then a residual block. */
static TARGET void TYPED(run_stage)(const pv_mimi *mimi, TYPED(decoder) *decoder, int64_t s, int64_t rows) {
    const pv_stage *stage = mimi->stages + s;
    const int is_last = s + 1 == mimi->num_stages;
    const pv_conv *next = is_last ? &mimi->last_conv : &mimi->stages[s + 1].upsample;
    TYPED(scalar) *next_input = is_last ? decoder->last_input : decoder->upsample_input[s + 1];
    const int64_t slice = slice_rows(mimi, s), channels = stage->upsample.channels;
    for (int64_t start = 0; start < rows; start += slice) {
        const int64_t taken = rows - start < slice ? rows - start : slice, made = taken * stage->stride;
        TYPED(multiply)(&(TYPED(product)){
            .x = decoder->upsample_input[s] + start * channels, .stride = channels, .rows = taken, .layer = &stage->upsample.linear,
            .after = ELU, .y = decoder->upsampled, .z = TYPED(after_past)(decoder->residual_input[s], &stage->residual_in),
        });
        TYPED(convolve)(&stage->residual_in, decoder->residual_input[s], decoder->has_past + 2 + 2 * s, made,
                        (TYPED(product)){.after = ELU, .z = decoder->between});
        TYPED(multiply)(&(TYPED(product)){
            .x = decoder->between, .stride = stage->residual_out.inputs, .rows = made, .layer = &stage->residual_out,
            .after = ELU, .skip = decoder->upsampled, .z = TYPED(after_past)(next_input, next),
        });
        if (!is_last) {
            TYPED(run_stage)(mimi, decoder, s + 1, made);
            continue;
        }
        TYPED(convolve)(next, next_input, decoder->has_past + 1, made, (TYPED(product)){.after = AS_IT_IS, .y = decoder->samples});
        decoder->samples += made * mimi->last_conv.linear.outputs;
    }
    TYPED(scalar) *input = decoder->upsample_input[s];
    memmove(input, input + rows * channels, sizeof(TYPED(scalar)) * (size_t)(stage->upsample.history * channels));
}

/* One layer of a transformer: a product of rows in float32, which become `layer_input`. */
static TARGET void TYPED(multiply_rows)(TYPED(decoder) *decoder, const pv_linear *layer, const float *x, int64_t rows, const float *skip, float *y) {
    TYPED(convert)(x, rows * layer->inputs, decoder->layer_input);
    TYPED(multiply)(&(TYPED(product)){
        .x = decoder->layer_input, .stride = layer->inputs, .rows = rows, .layer = layer, .after = AS_IT_IS, .skip = skip, .y = y,
    });
}

static void TYPED(norm_rows)(const TYPED(decoder) *decoder, const pv_norm *norm, int64_t rows, int64_t d_model) {
    for (int64_t n = 0; n < rows; n++) layer_norm_row(decoder->x + n * d_model, d_model, norm, 1e-5f, decoder->normed + n * d_model);
}

/* All layers over `rows` new rows of decoder->x, in place. Layer scales are folded into the weights. */
static TARGET void TYPED(mimi_transformer)(const pv_mimi *mimi, TYPED(decoder) *decoder, const pv_cache *cache, int64_t cache_index, int64_t position, int64_t rows) {
    const int64_t half = mimi->num_heads * cache->capacity * mimi->head_dim; /* of a layer's cache: keys, then values */
    for (int64_t i = 0; i < mimi->num_layers; i++) {
        const pv_layer *layer = mimi->layers + i;
        TYPED(norm_rows)(decoder, &layer->norm1, rows, mimi->d_model);
        TYPED(multiply_rows)(decoder, &layer->in_proj, decoder->normed, rows, 0, decoder->projected);
        float *keys = cache->keys_values + 2 * i * half;
        attention a = {
            .num_heads = mimi->num_heads, .num_kv_heads = mimi->num_heads, .head_dim = mimi->head_dim,
            .position = position, .cache_index = cache_index, .context = mimi->context, .rows = rows, .only_stores = 0,
            .cache = cache, .keys = keys, .values = keys + half, .projected = decoder->projected,
            .scores = decoder->scores, .scores_stride = 0, .out = decoder->attended,
        };
        for (int64_t head = 0; head < mimi->num_heads; head++) attention_part(&a, head);
        TYPED(multiply_rows)(decoder, &layer->out_proj, decoder->attended, rows, decoder->x, decoder->x);
        TYPED(norm_rows)(decoder, &layer->norm2, rows, mimi->d_model);
        TYPED(convert)(decoder->normed, rows * mimi->d_model, decoder->layer_input);
        TYPED(scalar) *hidden = (TYPED(scalar) *)decoder->projected; /* which is not needed any more */
        TYPED(multiply)(&(TYPED(product)){
            .x = decoder->layer_input, .stride = mimi->d_model, .rows = rows, .layer = &layer->linear1, .after = GELU, .z = hidden,
        });
        TYPED(multiply)(&(TYPED(product)){
            .x = hidden, .stride = layer->linear2.inputs, .rows = rows, .layer = &layer->linear2,
            .after = AS_IT_IS, .skip = decoder->x, .y = decoder->x,
        });
    }
}

/* Latents (frames, latent_dim) -> decoder->latents (frames, d_model), one by one: a layer sums several rows at once in another
   order, and results would depend on how frames are divided among calls. */
static void TYPED(project_latents)(const pv_mimi *mimi, TYPED(decoder) *decoder, const float *latents, int64_t frames) {
    const pv_linear *layer = &mimi->latent_proj;
    for (int64_t f = 0; f < frames; f++) {
        linear_call call = {.layer = layer, .x = latents + f * layer->inputs, .rows = 1, .y = decoder->latents + f * mimi->d_model, .after = STORE};
        for (int64_t block = 0; block * BLOCK_OUTPUTS < layer->outputs; block++) float32_part(&call, block);
    }
}

/* decoder->latents -> decoder->x (frames x steps_per_latent, d_model): a depthwise transposed convolution, in which a row is a
   filter times this latent plus another times the last one. */
static void TYPED(upsample_latents)(const pv_mimi *mimi, TYPED(decoder) *decoder, int64_t frames) {
    const int64_t d_model = mimi->d_model, steps = mimi->steps_per_latent;
    for (int64_t f = 0; f < frames; f++) {
        const float *current = decoder->latents + f * d_model, *previous = f ? current - d_model : decoder->last_latent;
        for (int64_t s = 0; s < steps; s++)
            for (int64_t i = 0; i < d_model; i += VL) {
                const vf of_current = vmul(vload(current + i), vload(mimi->current_filter + s * d_model + i));
                vstore(decoder->x + (f * steps + s) * d_model + i, vfma(vload(previous + i), vload(mimi->previous_filter + s * d_model + i), of_current));
            }
    }
    memcpy(decoder->last_latent, decoder->latents + (frames - 1) * d_model, sizeof(float) * (size_t)d_model);
}

/* See `pv_mimi_decode`. */
static TARGET void TYPED(decode)(const pv_mimi *mimi, const pv_cache *cache, void *memory, int64_t cache_index, int64_t position, int is_fresh, const float *latents, int64_t frames, float *samples) {
    TYPED(decoder) decoder;
    arena laid_out = arena_in(memory);
    const int64_t rows = frames * mimi->steps_per_latent;
    TYPED(lay_out_decoder)(mimi, &laid_out, &decoder);
    if (is_fresh) memset(laid_out.base, 0, (size_t)laid_out.used);
    decoder.samples = samples;
    TYPED(project_latents)(mimi, &decoder, latents, frames);
    TYPED(upsample_latents)(mimi, &decoder, frames);
    TYPED(mimi_transformer)(mimi, &decoder, cache, cache_index, position, rows);
    TYPED(convert)(decoder.x, rows * mimi->d_model, TYPED(after_past)(decoder.first_input, &mimi->first_conv));
    TYPED(convolve)(&mimi->first_conv, decoder.first_input, decoder.has_past, rows,
                    (TYPED(product)){.after = ELU, .z = TYPED(after_past)(decoder.upsample_input[0], &mimi->stages[0].upsample)});
    TYPED(run_stage)(mimi, &decoder, 0, rows);
}

#undef TYPE
#undef TARGET
