// The plain loops over a bank of modes of plain.rs, in C++. MODES is their number. One of FED_BACK, RINGING and PUSHED says which loop. With LANES the sums are taken in
// eight lanes, in a fixed order, which needs no permission to reorder them. With INLINED a step is a part of the loop over samples, which
// helps one compiler with a few modes.
#ifdef INLINED
#define STEP inline
#else
#define STEP __attribute__((noinline))
#endif
struct mydsp : dsp {
    alignas(64) double q[MODES], v[MODES], damped[MODES], pull[MODES], mobility[MODES], shape[MODES];

    void init(int samples_per_second) {
        rate = samples_per_second;
        // all of 1 kHz and without loss, deflected
        volatile double frequency = 1000;
        double turn = 3.14159265358979323846 * frequency / rate, share = 1 / (1 + turn * turn);
        for (int i = 0; i < MODES; i++) {
            q[i] = 1e-3, v[i] = 0;
            damped[i] = share, pull[i] = 2 * rate * turn * turn * share;
            mobility[i] = 1e-4, shape[i] = 1;
        }
    }

#ifdef LANES
    typedef double lanes __attribute__((vector_size(64), may_alias));
    static const int WIDTH = 8;
    static double total(lanes x) { return ((x[0] + x[1]) + (x[2] + x[3])) + ((x[4] + x[5]) + (x[6] + x[7])); }
#else
    typedef double lanes;
    static const int WIDTH = 1;
    static double total(lanes x) { return x; }
#endif
    // a step under a force; returns the velocity of a port
    STEP double step(double force) {
        const int size = MODES / WIDTH;
        const double dt = 1 / rate;
#ifdef LANES
        lanes *__restrict q = (lanes*)this->q, *__restrict v = (lanes*)this->v;
        const lanes *__restrict damped = (lanes*)this->damped, *__restrict pull = (lanes*)this->pull;
        const lanes *__restrict mobility = (lanes*)this->mobility, *__restrict shape = (lanes*)this->shape;
#endif
        lanes port = lanes() + 0.0;
#ifdef FED_BACK
        for (int i = 0; i < size; i++) port += shape[i] * (damped[i] * v[i] - pull[i] * q[i]);
        const double velocity = total(port);
        force = -1e-3 * velocity;
#endif
        for (int i = 0; i < size; i++) {
            lanes mean = damped[i] * v[i] - pull[i] * q[i];
#ifndef RINGING
            mean += mobility[i] * shape[i] * force;
#endif
            v[i] = 2.0 * mean - v[i];
            q[i] += mean * dt;
#ifndef FED_BACK
            port += shape[i] * v[i];
#endif
        }
        return total(port);
    }

    void compute(int count, double** inputs, double** outputs) {
        // volatile, or g++ takes the samples inside the loop over modes, where each waits for the last: twenty times as long
        for (int n = 0; n < count; n++) *(volatile double*)(outputs[0] + n) = step(inputs[0][n]);
    }

    double rate;
};
