! Shallow water whose time step follows from the fastest wave; the mass of each step is written down.
subroutine flow(h, q, hn, qn, mass, n, steps, time)
  implicit none
  integer, intent(in) :: n, steps
  real(8), intent(inout) :: h(n), q(n), hn(n), qn(n), mass(steps), time
  real(8) :: fastest, dt, total, dx
  integer :: step, i

  dx = 1.0d0/(n + 1)
  do step = 1, steps
    fastest = 1.0d-3
    do i = 1, n
      fastest = max(fastest, abs(q(i)) + sqrt(abs(h(i))))
    end do
    dt = 0.3d0*dx/fastest
    do i = 2, n - 1
      hn(i) = 0.5d0*(h(i - 1) + h(i + 1)) - 0.5d0*dt/dx*(q(i + 1) - q(i - 1))
      qn(i) = 0.5d0*(q(i - 1) + q(i + 1)) - 0.5d0*dt/dx*(h(i + 1)*h(i + 1) - h(i - 1)*h(i - 1))
    end do
    total = 0.0d0
    do i = 2, n - 1
      h(i) = hn(i)
      q(i) = qn(i)
      total = total + hn(i)
    end do
    mass(step) = total
    time = time + dt
  end do
end subroutine flow

program main
  use corpus
  implicit none
  integer :: nx, ny, nz, steps
  real(8), allocatable :: h(:), q(:), hn(:), qn(:), mass(:), time(:)

  do while (next_case(nx, ny, nz, steps))
    call new_array(h, points(nx, 1, 1))
    call new_array(q, points(nx, 1, 1))
    call new_array(hn, points(nx, 1, 1))
    call new_array(qn, points(nx, 1, 1))
    call new_array(mass, points(max(steps, 1), 1, 1))
    call new_array(time, points(1, 1, 1))
    call flow(h(1), q(1), hn(1), qn(1), mass(1), nx, steps, time(1))
    call dump('h', h)
    call dump('q', q)
    call dump('mass', mass)
    call dump('time', time)
    call end_case()
  end do
end program main
