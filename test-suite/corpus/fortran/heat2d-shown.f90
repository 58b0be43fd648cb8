! Every few steps the new values are added up, between the sweep and the exchange of the two fields' allocations.
module rooms
  implicit none
  type :: room
    integer :: nx, ny
    double precision :: dx, dy
    double precision, allocatable :: warm(:, :)
  end type room
contains
  subroutine evolve(now, before, dt)
    type(room), intent(inout) :: now, before
    double precision, intent(in) :: dt
    integer :: i, j

    do j = 2, now%ny - 1
      do i = 2, now%nx - 1
        now%warm(i, j) = before%warm(i, j) + dt*( &
                         (before%warm(i - 1, j) - 2d0*before%warm(i, j) + before%warm(i + 1, j))/now%dx**2 + &
                         (before%warm(i, j - 1) - 2d0*before%warm(i, j) + before%warm(i, j + 1))/now%dy**2)
      end do
    end do
  end subroutine evolve

  subroutine show(of, step, shown)
    type(room), intent(in) :: of
    integer, intent(in) :: step
    double precision, intent(inout) :: shown(:)
    double precision, allocatable :: inner(:, :)
    double precision :: total
    integer :: i, j

    allocate (inner(2:of%nx - 1, 2:of%ny - 1))
    inner = of%warm(2:of%nx - 1, 2:of%ny - 1)
    total = 0d0
    do j = 2, of%ny - 1
      do i = 2, of%nx - 1
        total = total + inner(i, j)
      end do
    end do
    shown(1 + mod(step, size(shown))) = total
    print *, step
    deallocate (inner)
  end subroutine show

  subroutine exchange(now, before)
    type(room), intent(inout) :: now, before
    double precision, allocatable :: kept(:, :)

    call move_alloc(now%warm, kept)
    call move_alloc(before%warm, now%warm)
    call move_alloc(kept, before%warm)
  end subroutine exchange

  subroutine run(now, before, steps, shown)
    type(room), intent(inout) :: now, before
    integer, intent(in) :: steps
    double precision, intent(inout) :: shown(:)
    integer :: step

    do step = 1, steps
      call evolve(now, before, 0.05d0)
      if (mod(step, 6) == 0) call show(now, step, shown)
      call exchange(now, before)
    end do
  end subroutine run
end module rooms

program main
  use corpus
  use rooms
  implicit none
  integer :: nx, ny, nz, steps, all
  double precision, allocatable :: a(:), b(:), shown(:)
  type(room) :: now, before

  do while (next_case(nx, ny, nz, steps))
    call new_array(a, points(nx, ny, 1))
    call new_array(b, points(nx, ny, 1))
    call new_array(shown, points(16, 1, 1))
    now = room(max(nx, 0), max(ny, 0), 1d0, 0.5d0)
    before = now
    all = now%nx*now%ny
    allocate (now%warm(now%nx, now%ny), before%warm(now%nx, now%ny))
    now%warm = reshape(b(1:all), shape(now%warm))
    before%warm = reshape(a(1:all), shape(now%warm))
    call run(now, before, steps, shown)
    a(1:all) = reshape(before%warm, [all])
    b(1:all) = reshape(now%warm, [all])
    call dump('a', a)
    call dump('b', b)
    call dump('shown', shown)
    call end_case()
  end do
end program main
